import { expect, test } from '../fixtures.ts';
import { ChangeEmailScreen } from '../screens/change-email.ts';
import { CompletionScreen } from '../screens/completion.ts';
import { MigrationScreen } from '../screens/migration.ts';
import { RequestPasswordScreen, ResetPasswordScreen } from '../screens/password-reset.ts';
import { SettingsScreen } from '../screens/settings.ts';
import { Shell } from '../screens/shell.ts';
import { SignInScreen } from '../screens/sign-in.ts';
import { SignUpScreen } from '../screens/sign-up.ts';
import { VerifyEmailScreen } from '../screens/verify-email.ts';
import { API, join, newPerson, register } from '../site/accounts.ts';
import { importLegacyAccounts } from '../site/legacy-accounts.ts';
import { words } from '../words.ts';
import { takePicture } from './picture.ts';

/** A fixed user, so that a picture changes only when the screen changes. */
const ada = { email: 'ada@example.com', username: 'AdaOnTheCouch', password: 'Sunny-Couch-42' };

test('sign-in', async ({ page }) => {
  const signIn = new SignInScreen(page);
  await signIn.open();
  await expect(signIn.submit).toBeVisible();
  await takePicture(page, 'sign-in');

  await signIn.signIn({ ...ada, password: 'Wrong-Couch-42' });
  await expect(signIn.alert).toBeVisible();
  await takePicture(page, 'sign-in-failed');

  await page.goto('/account/');
  await new Shell(page).language.click();
  await takePicture(page, 'languages');
});

test('sign-up', async ({ page, person }) => {
  const signUp = new SignUpScreen(page);
  await signUp.open();
  await expect(signUp.submit).toBeVisible();
  await takePicture(page, 'sign-up');

  await signUp.submit.click();
  await signUp.password.fill('couch');
  await expect(signUp.alert).toBeVisible();
  await takePicture(page, 'sign-up-errors');

  await signUp.fill(person);
  await signUp.submit.click();
  await expect(signUp.done).toBeVisible();
  await takePicture(page, 'sign-up-done');
});

test('verify-email', async ({ page, person, site }) => {
  const verify = new VerifyEmailScreen(page, words.en);
  await page.goto('/account/verify-email?token=unknown');
  await expect(verify.alert).toBeVisible();
  await takePicture(page, 'verify-email-failed');

  await register(site, person);
  // Taken before the redirect.
  await page.clock.install();
  await page.goto(await site.mailbox.link(person.email, '/account/verify-email'));
  await expect(verify.status).toContainText(words.en.answer.email_verified);
  await takePicture(page, 'verify-email');
});

test('password reset', async ({ page, site, member }) => {
  const request = new RequestPasswordScreen(page);
  await request.open();
  await expect(request.submit).toBeVisible();
  await takePicture(page, 'request-password');

  await request.ask(member.email);
  await expect(request.status).toBeVisible();
  await takePicture(page, 'request-password-done');

  await page.goto(await site.mailbox.link(member.email, '/account/reset-password'));
  const reset = new ResetPasswordScreen(page);
  await reset.password.fill('Rainy-Couch');
  await takePicture(page, 'reset-password');

  await reset.choose('Rainy-Couch-43');
  await expect(reset.status).toBeVisible();
  await takePicture(page, 'reset-password-done');
});

test('migration', async ({ page, site, person }) => {
  await importLegacyAccounts(site, { email: person.email });
  const migration = new MigrationScreen(page);
  await page.goto(`/account/migration?email=${ada.email}`);
  await expect(migration.request).toBeVisible();
  await takePicture(page, 'migration');

  await page.goto('/account/migration?token=unknown');
  await migration.password.fill('Rainy-Couch');
  await takePicture(page, 'migration-confirm');

  // By way of another page: a reload of the same address keeps the token of its link.
  await page.goto('/account/');
  await page.goto('/account/migration');
  await migration.email.fill(person.email);
  await migration.request.click();
  await expect(migration.status).toBeVisible();
  await takePicture(page, 'migration-requested');

  await page.goto(await site.mailbox.link(person.email, '/account/migration-confirmation'));
  const completion = new CompletionScreen(page);
  await expect(completion.submit).toBeVisible();
  await takePicture(page, 'migration-confirmation');

  await completion.fill('Rainy-Couch-43');
  await completion.submit.click();
  await expect(completion.status).toBeVisible();
  await takePicture(page, 'migration-done');
});

test('change-email', async ({ page, site, signedIn }) => {
  const fresh = newPerson();
  await page.request.post(`${API}/change-email`, { data: { email: fresh.email } });
  const change = new ChangeEmailScreen(page);
  await page.clock.install();
  await page.goto(await site.mailbox.link(fresh.email, '/account/change-email'));
  await expect(change.status).toContainText(words.en.answer.email_changed);
  await takePicture(page, 'change-email');

  await page.goto(await site.mailbox.link(signedIn.email, '/account/change-email'));
  await expect(change.undo).toBeVisible();
  await takePicture(page, 'change-email-undo');
});

test('settings', async ({ page, site }) => {
  await join(site, ada);
  const signIn = new SignInScreen(page);
  await signIn.open();
  await signIn.signIn(ada);
  const settings = new SettingsScreen(page);
  await expect(settings.main).toContainText(ada.username);
  await expect(settings.devices).toHaveCount(1);
  await takePicture(page, 'settings');

  await settings.changeEmail.click();
  await settings.email.fill('ada@couch.example');
  await takePicture(page, 'settings-email');

  await settings.changePassword.click();
  await settings.newPassword.fill('Rainy-Couch');
  await takePicture(page, 'settings-password');
});

test('not-found', async ({ page }) => {
  await page.goto('/account/no-such-screen');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await takePicture(page, 'not-found');
});
