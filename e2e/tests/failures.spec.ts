import { expect, test } from '../fixtures.ts';
import { expectFieldError } from '../helpers/field-error.ts';
import { migrationScreen } from '../screens/migration.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { signUpScreen } from '../screens/sign-up.ts';
import { verifyEmailScreen } from '../screens/verify-email.ts';
import { API, join, newPerson } from '../site/accounts.ts';
import { completeAccount, importLegacyAccounts } from '../site/legacy-accounts.ts';
import { fill, words } from '../words.ts';

const { common, email_verification, error, sign_in } = words.en;

test.describe('without a response of the server', () => {
  // The guard is off, because the browser logs the failed HTTP request.
  test.use({ guarded: false });

  test('a failed registration shows the generic error, in view and focused', async ({
    page,
    person,
  }) => {
    await page.route(`**${API}/register`, (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
    );
    const signUp = signUpScreen(page);
    await signUp.open();
    await signUp.fill(person);
    await signUp.submit.click();
    await expect(signUp.alert).toContainText(common.authentication_failed);
    await expect(signUp.alert).toContainText(error.internal);
    await expect(signUp.alert).toBeFocused();
    await expect(signUp.alert).toBeInViewport();
  });
});

test('for a taken address the settings reveal only that it is taken', async ({
  page,
  site,
  signedIn,
}) => {
  const other = newPerson();
  await join(site, other);
  const settings = settingsScreen(page);
  await settings.open();
  await settings.changeEmail.click();
  await settings.email.fill(other.email);
  await settings.save.click();
  await expect(settings.alert).toHaveText(error.email_taken);
  await expect(settings.main).not.toContainText(error.account_exists);
  await expect(settings.main).toContainText(signedIn.email);
});

test('a registration with a legacy address links to the migration', async ({
  page,
  site,
  person,
}) => {
  await importLegacyAccounts(site, completeAccount(person));
  const signUp = signUpScreen(page);
  await signUp.open();
  await signUp.fill({ ...newPerson(), email: person.email });
  await signUp.submit.click();
  await expectFieldError(signUp.email, error.email_in_old_system);
  await signUp.alert.getByRole('link', { name: sign_in.move, exact: true }).click();
  const migration = migrationScreen(page);
  await expect(migration.heading).toBeVisible();
  await expect(page).toHaveURL(/\/account\/migration\?/);
  await expect(migration.email).toHaveValue(person.email);
});

// The screen offers no new link, because only a new sign-in mails a new device link.
test('an expired device link leads to the sign-in and offers no verification mail', async ({
  newBrowser,
  person,
  startOwnSite,
}) => {
  const site = await startOwnSite({ ACCOUNT_LIFETIMES__DEVICE_APPROVAL: '1s' });
  await join(site, person);
  const { email, password } = person;
  const [owner, other] = [await newBrowser(site), await newBrowser(site)];
  const login = { data: { email, password } };
  expect((await owner.request.post(`${API}/login`, login)).status()).toBe(200);
  expect((await other.request.post(`${API}/login`, login)).status()).toBe(403);
  const link = await site.mailbox.link(email, '/account/verify-email');
  // The call leaves the link unused, because the link approves only in the browser that requested the approval.
  const call = `${API}/confirm-email${new URL(link).search}`;
  await expect.poll(async () => (await owner.request.get(call)).status()).toBe(400);

  const page = await other.newPage();
  await page.goto(link);
  const verify = verifyEmailScreen(page);
  await expect(verify.alert).toContainText(email_verification.device_expired);
  await expect(page.getByRole('button', { name: email_verification.resend_new })).toHaveCount(0);
  await page.getByRole('link', { name: sign_in.submit, exact: true }).click();
  await expect(signInScreen(page).heading).toBeVisible();
});

test('too many attempts show the minutes of Retry-After', async ({
  newBrowser,
  person,
  startOwnSite,
}) => {
  const site = await startOwnSite({
    ACCOUNT_LIMITS__ENABLED: 'true',
    ACCOUNT_LIMITS__LOGIN_FAILED_ACCOUNT: '3/10m',
  });
  await join(site, person);
  const page = await (await newBrowser(site)).newPage();
  const wrong = { email: person.email, password: 'Wrong-Couch-42' };
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    expect((await page.request.post(`${API}/login`, { data: wrong })).status()).toBe(401);
  }
  const signIn = signInScreen(page);
  await signIn.open();
  const answered = page.waitForResponse(`**${API}/login`);
  await signIn.signIn(person);
  const answer = await answered;
  expect(answer.status()).toBe(429);
  const seconds = Number(answer.headers()['retry-after']);
  expect(seconds).toBeGreaterThan(60);
  const count = Math.ceil(seconds / 60);
  await expect(signIn.alert).toContainText(fill(words.en.answer.wait_minutes_other, { count }));
});
