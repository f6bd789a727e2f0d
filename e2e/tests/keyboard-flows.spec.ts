import { computer } from '../chromium.ts';
import { expect, test } from '../fixtures.ts';
import { pressEnterOn, tabTo, typeInto } from '../helpers/keys.ts';
import { completionScreen } from '../screens/completion.ts';
import { migrationScreen } from '../screens/migration.ts';
import { proofDialog } from '../screens/second-factor.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { signUpScreen } from '../screens/sign-up.ts';
import { verifyEmailScreen } from '../screens/verify-email.ts';
import { API, newPerson } from '../site/accounts.ts';
import { completeAccount, importLegacyAccounts } from '../site/legacy-accounts.ts';
import { fill, words } from '../words.ts';

test.use(computer);

const NEW_PASSWORD = 'Rainy-Couch-43';
const { answer, common, completion: completing } = words.en;

test('a pending change of the address is sent again and cancelled by keyboard alone @postgres', async ({
  page,
  signedIn,
  mailbox,
}) => {
  const { email } = newPerson();
  const { email_pending, email_sent_again, email_kept } = words.en.settings;
  const pending = page.getByText(fill(email_pending, { email }), { exact: true });
  const settings = settingsScreen(page);
  await settings.open();
  await pressEnterOn(page, settings.changeEmail);
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await expect(pending).toBeVisible();
  const first = await mailbox.link(email, '/account/change-email');

  await page.reload();
  await expect(pending).toBeVisible();
  await pressEnterOn(page, settings.resendEmail);
  await expect(settings.status).toContainText(email_sent_again);
  await expect(settings.resendEmail).toBeFocused();
  const second = await mailbox.link(email, '/account/change-email');
  expect(second).not.toBe(first);

  await pressEnterOn(page, settings.cancelEmail);
  await expect(settings.status).toContainText(email_kept);
  await expect(settings.changeEmail).toBeFocused();
  await expect(pending).toHaveCount(0);
  await page.reload();
  await expect(settings.main).toContainText(signedIn.email);
  await expect(pending).toHaveCount(0);
  for (const link of [first, second]) {
    await page.goto(link);
    await expect(page.getByRole('alert')).toContainText(words.en.error.invalid_token);
  }
});

test('the personal details are shown after a proof by keyboard alone @postgres', async ({
  page,
  signedIn,
  expectAccessible,
}) => {
  const settings = settingsScreen(page);
  const proof = proofDialog(page);
  await page.route(`**${API}/profile`, (route) => {
    const json = { code: 'reauthentication_required', detail: '', methods: ['password'] };
    return route.fulfill({ status: 403, json });
  });
  await settings.open();
  await pressEnterOn(page, settings.showDetails);
  await expect(proof.dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(settings.showDetails).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(proof.dialog).toBeVisible();
  await page.unroute(`**${API}/profile`);
  await typeInto(page, proof.password, signedIn.password);
  await page.keyboard.press('Enter');
  await expect(settings.aboutHeading).toBeFocused();
  for (const shown of ['Germany', '10115', 'April 7, 1989']) {
    await expect(settings.about.getByText(shown, { exact: true })).toBeVisible();
  }
  await expectAccessible(page);
});

test('a wrong address of a registration is corrected by keyboard alone @postgres', async ({
  page,
  person,
  mailbox,
}) => {
  const signUp = signUpScreen(page);
  const meant = newPerson().email;
  await signUp.open();
  await signUp.fill(person);
  await pressEnterOn(page, signUp.submit);
  await expect(signUp.done).toBeFocused();
  const dead = await mailbox.link(person.email, '/account/verify-email');

  await pressEnterOn(page, page.getByRole('button', { name: words.en.sign_up.correct }));
  await expect(signUp.heading).toBeFocused();
  await expect(signUp.username).toHaveValue(person.username);
  await expect(signUp.country).toHaveValue(words.en.countryvalues.de);
  await expect(signUp.password).toHaveValue('');
  await tabTo(page, signUp.email);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(meant);
  await typeInto(page, signUp.password, person.password);
  await page.keyboard.press('Enter');
  await expect(signUp.done).toBeFocused();
  await expect(page.getByRole('main')).toContainText(meant);

  const verify = verifyEmailScreen(page);
  await page.goto(dead);
  await expect(page.getByRole('alert')).toBeVisible();
  await page.goto(await mailbox.link(meant, '/account/verify-email'));
  await expect(verify.status).toContainText(answer.email_verified);
});

test('the first Tab focuses the skip link', async ({ page }) => {
  await signInScreen(page).open();
  await expect(signInScreen(page).submit).toBeVisible();
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: words.en.shell.skip });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('textbox', { name: common.email })).toBeFocused();
});

test('only the missing data of a legacy account is filled in by keyboard @postgres', async ({
  page,
  site,
  person,
  mailbox,
}) => {
  const { username, zipcode, ...known } = completeAccount(person);
  const { email } = known;
  await importLegacyAccounts(site, { ...known, first_name: 'Ada' });
  const migration = migrationScreen(page);
  await page.goto('/account/migration');
  await typeInto(page, migration.email, email);
  await page.keyboard.press('Enter');
  await expect(migration.status).toBeVisible();

  await page.goto(await mailbox.link(email, '/account/migration-confirmation'));
  const screen = completionScreen(page);
  await expect(screen.firstName).toHaveValue('Ada');
  await expect(screen.country).toHaveValue(words.en.countryvalues.us);
  await expect(screen.day).toHaveValue('7');
  await expect(screen.month).toHaveValue('4');
  await expect(screen.year).toHaveValue('1989');
  await expect(screen.lastName).toHaveValue('');
  await typeInto(page, screen.lastName, 'Couch');
  await typeInto(page, screen.zipcode, '97201');
  await typeInto(page, screen.password, NEW_PASSWORD);
  await typeInto(page, screen.confirmation, NEW_PASSWORD);
  await pressEnterOn(page, screen.submit);
  await expect(page.getByRole('heading', { level: 1, name: completing.done_title })).toBeFocused();
});
