import { pathToFileURL } from 'node:url';
import { expect, test } from '../../fixtures.ts';
import { addAuthenticator, withoutAutofill } from '../../helpers/authenticator.ts';
import { storyOf, visit } from '../../helpers/gallery.ts';
import { ChangeEmailScreen } from '../../screens/change-email.ts';
import { CompletionScreen } from '../../screens/completion.ts';
import { MigrationScreen } from '../../screens/migration.ts';
import { declineOffer, PasskeyOffer } from '../../screens/passkey-offer.ts';
import { RequestPasswordScreen, ResetPasswordScreen } from '../../screens/password-reset.ts';
import { SampleAppScreen } from '../../screens/sample-app.ts';
import { CodeStep, TwoStepScreen } from '../../screens/second-factor.ts';
import { SettingsScreen } from '../../screens/settings.ts';
import { Shell } from '../../screens/shell.ts';
import { SignInScreen } from '../../screens/sign-in.ts';
import { SignUpScreen } from '../../screens/sign-up.ts';
import { VerifyEmailScreen } from '../../screens/verify-email.ts';
import { API, join, newPerson, register } from '../../site/accounts.ts';
import { unpack } from '../../site/archive.ts';
import { importLegacyAccounts } from '../../site/legacy-accounts.ts';
import { Program } from '../../site/program.ts';
import { SampleApp } from '../../site/sample-app.ts';
import { codeOf } from '../../site/totp.ts';
import { words } from '../../words.ts';
import { saveSteps, takePicture, takeStep } from './picture.ts';

/** Fixed users, so that a picture changes only when the screen changes. */
const ada = { email: 'ada@example.com', username: 'AdaOnTheCouch', password: 'Sunny-Couch-42' };
const sam = { ...ada, email: 'sam@example.com', username: 'SamOnTheCouch' };
const riley = { ...ada, email: 'riley@example.com', username: 'RileyOnTheCouch' };

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
  // The picture is taken before the redirect.
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

  // The test opens another page in between, because a reload of the same URL keeps the token of the link.
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

test('delete', async ({ page, site, signedIn }) => {
  const { deletion } = words.en;
  await declineOffer(page);
  await page.clock.setFixedTime('2026-04-07T12:00:00Z');
  await page.goto('/account/delete');
  await page.getByRole('checkbox', { name: deletion.understand }).check();
  await takePicture(page, 'delete');

  await page.getByRole('button', { name: deletion.submit }).click();
  await expect(page.getByRole('status')).toBeVisible();
  await page.goto(await site.mailbox.link(signedIn.email, '/account/restore'));
  await expect(page.getByRole('button', { name: deletion.keep })).toBeVisible();
  await takePicture(page, 'restore');
});

test('settings', async ({ page, site }) => {
  await declineOffer(page);
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

  await page.goto('/account/settings/data');
  await expect(page.getByRole('switch')).toBeVisible();
  await takePicture(page, 'data');
});

test('export', async ({ page, site, browser }, testInfo) => {
  await declineOffer(page);
  await join(site, sam);
  const signIn = new SignInScreen(page);
  await signIn.open();
  await signIn.signIn(sam);
  // The test waits here, because the navigation of the sign-in would abort another navigation.
  await expect(new SettingsScreen(page).main).toContainText(sam.username);
  await page.goto('/account/settings/data');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: words.en.data.download_button }).click();
  const folder = testInfo.outputPath('export');
  await unpack(await (await download).path(), folder);

  const reader = await browser.newPage({ viewport: page.viewportSize() });
  await reader.goto(pathToFileURL(`${folder}/index.html`).href);
  await takePicture(reader, 'export', reader.getByRole('heading', { level: 1 }));
  await reader.close();
});

test('passkeys', async ({ page, site }, { project }) => {
  const { security, sign_in, was_this_you } = words.en;
  const steps: Buffer[] = [];
  await addAuthenticator(page, { transport: 'internal', synced: true });
  await withoutAutofill(page);
  await join(site, riley);
  const signIn = new SignInScreen(page);
  await signIn.open();
  await signIn.signIn(riley);
  const settings = new SettingsScreen(page);
  const offer = new PasskeyOffer(page);
  await expect(offer.card).toBeVisible();
  await expect(settings.devices).toHaveCount(1);
  steps.push(await takeStep(page));
  await takePicture(page, 'passkey-offer');

  await offer.add.click();
  await expect(offer.status).toContainText(security.passkey_added);
  steps.push(await takeStep(page));
  await takePicture(page, 'passkey-added');

  await settings.signOut.click();
  await expect(signIn.status).toContainText(sign_in.signed_out);
  await page.evaluate(() => scrollTo(0, 0));
  steps.push(await takeStep(page));
  await page.getByRole('button', { name: sign_in.passkey, exact: true }).click();
  await expect(settings.main).toContainText(riley.email);

  await page.goto('/account/settings/security');
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(1);
  steps.push(await takeStep(page));
  await takePicture(page, 'security');
  if (project.name === '360') await saveSteps('passkeys', steps);

  await page.goto('/account/activity');
  await expect(page.getByRole('main').getByRole('listitem')).not.toHaveCount(0);
  await takePicture(page, 'activity');

  await page.goto(await site.mailbox.link(riley.email, '/account/undo'));
  await expect(page.getByRole('button', { name: was_this_you.no, exact: true })).toBeVisible();
  await takePicture(page, 'undo');
});

test('two-step verification', async ({ page, site }, { project }) => {
  const steps: Buffer[] = [];
  await declineOffer(page);
  await withoutAutofill(page);
  await join(site, riley);
  const signIn = new SignInScreen(page);
  const settings = new SettingsScreen(page);
  await signIn.open();
  await signIn.signIn(riley);
  await expect(settings.main).toContainText(riley.email);
  const twoStep = new TwoStepScreen(page);
  await twoStep.open();
  await twoStep.turnOn.click();
  await expect(twoStep.qrCode).toBeVisible();
  steps.push(await takeStep(page));
  await takePicture(page, 'two-step');

  const secret = (await twoStep.key.textContent()) ?? '';
  await twoStep.code.fill(codeOf(secret));
  await twoStep.code.press('Enter');
  await expect(twoStep.codes).toHaveCount(10);
  steps.push(await takeStep(page));
  await takePicture(page, 'recovery-codes');

  await twoStep.saved.click();
  await expect(twoStep.turnOff).toBeVisible();
  await takePicture(page, 'security-two-step');

  await page.context().request.post(`${API}/logout`);
  await signIn.open();
  await signIn.signIn(riley);
  const codeStep = new CodeStep(page);
  await expect(codeStep.code).toBeVisible();
  steps.push(await takeStep(page));
  await takePicture(page, 'sign-in-code');
  if (project.name === '360') await saveSteps('two-step-verification', steps);

  await codeStep.lostCodes.click();
  await expect(codeStep.startReset).toBeVisible();
  await takePicture(page, 'no-code');

  await codeStep.startReset.click();
  await expect(page.getByRole('main').getByRole('status')).toBeVisible();
  await takePicture(page, 'lost-codes');
});

test('not-found', async ({ page }) => {
  await page.goto('/account/no-such-screen');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await takePicture(page, 'not-found');
});

test('support view', async ({ page }) => {
  for (const [state, name] of [
    ['active, for an admin', 'support'],
    ['activity and mails', 'support-activity'],
    ['asks for a reason', 'support-reason'],
    ['audit', 'support-audit'],
  ] as const) {
    await visit(page, storyOf('support', state), 'en');
    await takePicture(page, name, page.getByRole('heading', { level: 1 }));
  }
});

test('applications', async ({ page }) => {
  for (const [screen, state, name] of [
    ['sign-in', 'for another application', 'sign-in-for-an-app'],
    ['sign-out', 'question', 'sign-out'],
    ['security', 'connected apps', 'connected-apps'],
  ] as const) {
    await visit(page, storyOf(screen, state), 'en');
    await takePicture(page, name, page.getByRole('heading', { level: 1 }));
  }
});

test.describe('sample application', () => {
  // The pages of the sample application have another origin than the site.
  test.use({ guarded: false });

  test('sample application', async ({ page }) => {
    const demo = await Program.start({}, 'demo');
    const program = await SampleApp.ofDemo(demo);
    const app = new SampleAppScreen(page, program.origin);
    await app.open();
    await takePicture(page, 'sample-app');

    await app.signIn.click();
    await expect(app.form).toBeVisible();
    await takePicture(page, 'sample-app-form');

    await app.fillForm('verified');
    await expect(app.hello('verified')).toBeVisible();
    // The account id is replaced by a fixed id, because the real id is random.
    await app.fact('Account ID').evaluate((shown) => {
      shown.textContent = '019a0000-0000-7000-8000-000000000000';
    });
    await takePicture(page, 'sample-app-signed-in');

    await app.signOut.click();
    await expect(app.signedOut).toBeVisible();
    await takePicture(page, 'sample-app-signed-out');
    await program.stop();
    await demo.stop();
  });
});
