import { expect, test } from '../fixtures.ts';
import { changeEmailScreen } from '../screens/change-email.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { API, newPerson, signInElsewhere } from '../site/accounts.ts';
import { words } from '../words.ts';

const CONFIRM = '/account/change-email';
const NEW_PASSWORD = 'Rainy-Couch-43';
/** The delay of the redirect after a confirmed change, as in `change-email.tsx`. */
const REDIRECT_DELAY_MS = 3000;

for (const language of ['en', 'es'] as const) {
  const here = words[language];

  test.describe(`settings in ${language}`, () => {
    test.use({ locale: language });

    test('the address is changed by a mailed link and restored by the old mailbox', {
      tag: '@both',
    }, async ({ page, signedIn, newBrowser, mailbox, expectAccessible }) => {
      const { email: old } = signedIn;
      const { email: fresh } = newPerson();
      const settings = settingsScreen(page, here);
      await page.clock.install();
      await settings.open();
      await settings.changeEmail.click();
      await expectAccessible(page);
      await settings.email.fill(fresh);
      await settings.save.click();
      await expect(settings.status).toContainText(here.answer.email_change_sent);
      await expect(settings.main).toContainText(old);

      await page.goto(await mailbox.link(fresh, CONFIRM));
      const change = changeEmailScreen(page, here);
      await expect(change.status).toContainText(here.answer.email_changed);
      await expectAccessible(page);
      await page.clock.fastForward(REDIRECT_DELAY_MS);
      await expect(settings.heading).toBeVisible();
      await expect(settings.main).toContainText(fresh);

      const owner = await (await newBrowser()).newPage();
      await owner.goto(`${await mailbox.link(old, CONFIRM)}&lang=${language}`);
      const undo = changeEmailScreen(owner, here);
      await expect(undo.undo).toBeVisible();
      await expectAccessible(owner);
      await undo.undo.click();
      await expect(undo.status).toContainText(here.answer.email_restored);
      await expectAccessible(owner);

      // The attacker's session has ended. The owner's browser is a known device, because that browser opened the link.
      await settings.open();
      await expect(signInScreen(page, here).heading).toBeVisible();
      await owner.goto(`/account/?lang=${language}`);
      await signInScreen(owner, here).signIn(signedIn);
      await expect(settingsScreen(owner, here).main).toContainText(old);
    });

    test('a new password ends all other sessions and keeps this one', {
      tag: '@both',
    }, async ({ page, site, signedIn, newBrowser, mailbox, expectAccessible }) => {
      const elsewhere = await newBrowser();
      await signInElsewhere(elsewhere, site, signedIn);
      const settings = settingsScreen(page, here);
      await settings.open();
      await settings.changePassword.click();
      await expectAccessible(page);
      await settings.fillPasswords(signedIn.password, NEW_PASSWORD);
      await expect(settings.status).toContainText(here.answer.password_changed);
      await expectAccessible(page);

      expect((await elsewhere.request.get(`${API}/users/me`)).status()).toBe(401);
      await mailbox.next(signedIn.email);
      await settings.signOut.click();
      const signIn = signInScreen(page, here);
      await signIn.signIn(signedIn);
      await expect(signIn.alert).toContainText(here.error.invalid_credentials);
      await signIn.signIn({ ...signedIn, password: NEW_PASSWORD });
      await expect(settings.heading).toBeVisible();
    });

    test('the devices are listed and can be signed out, individually or together', async ({
      page,
      site,
      signedIn,
      newBrowser,
      expectAccessible,
    }) => {
      const phone = await newBrowser();
      await signInElsewhere(phone, site, signedIn);
      const settings = settingsScreen(page, here);
      await settings.open();
      await expect(settings.devices).toHaveCount(2);
      await expectAccessible(page);
      const other = settings.devices.filter({ hasNotText: here.devices.current });
      await other.getByRole('button').click();
      await expect(settings.devices).toHaveCount(1);
      expect((await phone.request.get(`${API}/users/me`)).status()).toBe(401);

      await settings.signOutEverywhere.click();
      await expectAccessible(page);
      await settings.confirmSignOutEverywhere.click();
      await expect(signInScreen(page, here).heading).toBeVisible();
      await settings.open();
      await expect(signInScreen(page, here).heading).toBeVisible();
    });
  });
}
