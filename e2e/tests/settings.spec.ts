import { expect, test } from '../fixtures.ts';
import { pressEnterOn, typeInto } from '../helpers/keys.ts';
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

    test('the address is changed by a mailed link and restored by the old mailbox, by keyboard alone', {
      tag: '@postgres',
    }, async ({ page, signedIn, newBrowser, mailbox, expectAccessible }) => {
      const { email: old } = signedIn;
      const { email: fresh } = newPerson();
      const settings = settingsScreen(page, here);
      await page.clock.install();
      await settings.open();
      await pressEnterOn(page, settings.changeEmail);
      await expect(settings.email).toBeFocused();
      await expectAccessible(page);
      await page.keyboard.type(fresh);
      await page.keyboard.press('Enter');
      await expect(settings.status).toContainText(here.answer.email_change_sent);
      await expect(settings.changeEmail).toBeFocused();
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
      await pressEnterOn(owner, undo.undo);
      await expect(undo.status).toContainText(here.answer.email_restored);
      await expect(undo.undoneHeading).toBeFocused();
      await expectAccessible(owner);

      // The attacker's session has ended. The owner's browser is a known device, because that browser opened the link.
      await settings.open();
      await expect(signInScreen(page, here).heading).toBeVisible();
      await owner.goto(`/account/?lang=${language}`);
      await signInScreen(owner, here).signIn(signedIn);
      await expect(settingsScreen(owner, here).main).toContainText(old);
    });

    test('a new password by keyboard alone ends all other sessions and keeps this one', {
      tag: '@postgres',
    }, async ({ page, site, signedIn, newBrowser, mailbox, expectAccessible }) => {
      const elsewhere = await newBrowser();
      await signInElsewhere(elsewhere, site, signedIn);
      const settings = settingsScreen(page, here);
      await settings.open();
      await pressEnterOn(page, settings.changePassword);
      await expect(settings.currentPassword).toBeFocused();
      await expectAccessible(page);
      await page.keyboard.type(signedIn.password);
      await typeInto(page, settings.newPassword, NEW_PASSWORD);
      await typeInto(page, settings.confirmation, NEW_PASSWORD);
      await pressEnterOn(page, settings.save);
      await expect(settings.status).toContainText(here.answer.password_changed);
      await expect(settings.changePassword).toBeFocused();
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

    test('the devices are listed and signed out, individually or together, by keyboard alone', async ({
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
      await pressEnterOn(page, other.getByRole('button'));
      await expect(settings.devices).toHaveCount(1);
      expect((await phone.request.get(`${API}/users/me`)).status()).toBe(401);

      await pressEnterOn(page, settings.signOutEverywhere);
      await expect(settings.question).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(settings.question).toBeHidden();
      await expect(settings.signOutEverywhere).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(settings.question).toBeVisible();
      await expectAccessible(page);
      await pressEnterOn(page, settings.confirmSignOutEverywhere);
      await expect(signInScreen(page, here).heading).toBeFocused();
      await settings.open();
      await expect(signInScreen(page, here).heading).toBeVisible();
    });
  });
}
