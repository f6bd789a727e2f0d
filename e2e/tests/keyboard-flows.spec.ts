import { computer } from '../chromium.ts';
import { expect, test } from '../fixtures.ts';
import { pressEnterOn, tabTo, typeInto } from '../helpers/keys.ts';
import { changeEmailScreen } from '../screens/change-email.ts';
import { completionScreen } from '../screens/completion.ts';
import { migrationScreen } from '../screens/migration.ts';
import { requestPasswordScreen, resetPasswordScreen } from '../screens/password-reset.ts';
import { proofDialog } from '../screens/second-factor.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { signUpScreen } from '../screens/sign-up.ts';
import { verifyEmailScreen } from '../screens/verify-email.ts';
import { API, newPerson, signInByApi } from '../site/accounts.ts';
import { completeAccount, importLegacyAccounts } from '../site/legacy-accounts.ts';
import { fill, words } from '../words.ts';

test.use(computer);

const NEW_PASSWORD = 'Rainy-Couch-43';
const { answer, common, completion: completing, migration: moving } = words.en;

test('an account is recovered by keyboard alone', async ({ page, member, mailbox }) => {
  const signIn = signInScreen(page);
  await signIn.open();
  await pressEnterOn(page, signIn.forgot);
  const request = requestPasswordScreen(page);
  await expect(request.heading).toBeFocused();
  await typeInto(page, request.email, member.email);
  await page.keyboard.press('Enter');
  await expect(request.status).toContainText(member.email);

  await page.goto(await mailbox.link(member.email, '/account/reset-password'));
  const reset = resetPasswordScreen(page);
  await typeInto(page, reset.password, NEW_PASSWORD);
  await typeInto(page, reset.confirmation, NEW_PASSWORD);
  await pressEnterOn(page, reset.submit);
  await expect(reset.status).toContainText(answer.reset_done);
  await pressEnterOn(page, reset.signIn);
  await expect(signIn.heading).toBeFocused();
});

test('the password is changed by keyboard alone', async ({ page, signedIn }) => {
  const settings = settingsScreen(page);
  await settings.open();
  await pressEnterOn(page, settings.changePassword);
  await expect(settings.currentPassword).toBeFocused();
  await page.keyboard.type(signedIn.password);
  await typeInto(page, settings.newPassword, NEW_PASSWORD);
  await typeInto(page, settings.confirmation, NEW_PASSWORD);
  await pressEnterOn(page, settings.save);
  await expect(settings.status).toContainText(answer.password_changed);
  await expect(settings.changePassword).toBeFocused();
});

test('the address is changed and restored by keyboard alone', async ({
  page,
  signedIn,
  mailbox,
}) => {
  const { email } = newPerson();
  const settings = settingsScreen(page);
  await settings.open();
  await pressEnterOn(page, settings.changeEmail);
  await expect(settings.email).toBeFocused();
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await expect(settings.status).toContainText(answer.email_change_sent);
  await expect(settings.changeEmail).toBeFocused();

  const change = changeEmailScreen(page);
  await page.goto(await mailbox.link(email, '/account/change-email'));
  await expect(change.status).toContainText(email);
  await pressEnterOn(page, change.back);
  await expect(settings.heading).toBeFocused();

  await page.goto(await mailbox.link(signedIn.email, '/account/change-email'));
  await pressEnterOn(page, change.undo);
  await expect(change.status).toContainText(signedIn.email);
  await expect(change.undoneHeading).toBeFocused();
});

test('a pending change of the address is sent again and cancelled by keyboard alone @both', async ({
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

test('the personal details are shown after a proof by keyboard alone @both', async ({
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

test('a device is signed out by keyboard alone', async ({ page, signedIn }) => {
  const settings = settingsScreen(page);
  await settings.open();
  await expect(settings.main).toContainText(signedIn.username);
  await pressEnterOn(page, settings.signOutEverywhere);
  await expect(settings.question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(settings.question).toBeHidden();
  await expect(settings.signOutEverywhere).toBeFocused();
  await page.keyboard.press('Enter');
  await pressEnterOn(page, settings.confirmSignOutEverywhere);
  await expect(signInScreen(page).heading).toBeFocused();
});

test('a device is approved by keyboard alone', async ({ page, member, newBrowser, mailbox }) => {
  const known = await newBrowser();
  await signInByApi(known, member);
  const elsewhere = await known.newPage();

  const signIn = signInScreen(page);
  await page.clock.install();
  await signIn.open();
  await typeInto(page, signIn.email, member.email);
  await typeInto(page, signIn.password, member.password);
  await page.keyboard.press('Enter');
  const focused = page.locator(':focus').getByRole('status');
  await expect(focused).toContainText(words.en.error.new_device);

  const verify = verifyEmailScreen(elsewhere);
  await elsewhere.goto(await mailbox.link(member.email, '/account/verify-email'));
  await tabTo(elsewhere, verify.refuse);
  await elsewhere.keyboard.press('Shift+Tab');
  await expect(verify.approve).toBeFocused();
  await elsewhere.keyboard.press('Enter');
  const [, approved = ''] = words.en.email_verification.device_elsewhere.split('{{device}}');
  await expect(verify.status).toContainText(approved);

  // The waiting browser checks every five seconds, and signs in by itself.
  await page.clock.fastForward(5000);
  await expect(settingsScreen(page).heading).toBeFocused();
});

test('a legacy account is migrated by keyboard alone', async ({ page, site, person, mailbox }) => {
  await importLegacyAccounts(site, completeAccount(person));
  const signIn = signInScreen(page);
  await signIn.open();
  await typeInto(page, signIn.email, person.email);
  await typeInto(page, signIn.password, person.password);
  await page.keyboard.press('Enter');
  const migration = migrationScreen(page);
  await expect(migration.heading).toBeFocused();
  await pressEnterOn(page, migration.request);
  await expect(migration.status).toContainText(answer.migration_sent);

  await page.goto(await mailbox.link(person.email, '/account/migration'));
  await typeInto(page, migration.password, NEW_PASSWORD);
  await typeInto(page, migration.confirmation, NEW_PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: moving.done_title })).toBeFocused();
});

test('a wrong address of a registration is corrected by keyboard alone @both', async ({
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

test('a legacy account is completed by keyboard alone', async ({ page, site, person, mailbox }) => {
  await importLegacyAccounts(site, { email: person.email });
  const migration = migrationScreen(page);
  await page.goto('/account/migration');
  await typeInto(page, migration.email, person.email);
  await page.keyboard.press('Enter');
  await expect(migration.status).toBeVisible();

  await page.goto(await mailbox.link(person.email, '/account/migration-confirmation'));
  const screen = completionScreen(page);
  await typeInto(page, screen.firstName, 'Ada');
  await typeInto(page, screen.lastName, 'Couch');
  await typeInto(page, screen.country, 'Chile');
  await tabTo(page, screen.month);
  await page.keyboard.press('ArrowDown');
  await typeInto(page, screen.day, '7');
  await typeInto(page, screen.year, '1989');
  await typeInto(page, screen.zipcode, '97201-1234');
  await typeInto(page, screen.password, NEW_PASSWORD);
  await typeInto(page, screen.confirmation, NEW_PASSWORD);
  await tabTo(page, screen.newsletter);
  await page.keyboard.press('Space');
  await expect(screen.newsletter).toBeChecked();
  await pressEnterOn(page, screen.submit);
  await expect(page.getByRole('heading', { level: 1, name: completing.done_title })).toBeFocused();
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

test('only the missing data of a legacy account is filled in by keyboard @both', async ({
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
