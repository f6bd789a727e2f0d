import { expect, test } from '../fixtures.ts';
import { pressEnterOn, typeInto } from '../helpers/keys.ts';
import { requestPasswordScreen, resetPasswordScreen } from '../screens/password-reset.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { API } from '../site/accounts.ts';
import { fill, words } from '../words.ts';

const PATH = '/account/reset-password';
const NEW_PASSWORD = 'Rainy-Couch-43';

for (const language of ['en', 'de'] as const) {
  const here = words[language];

  test.describe(`recovery in ${language}`, { tag: '@postgres' }, () => {
    test.use({ locale: language });

    test('a forgotten password is reset by keyboard alone, which ends all other sessions', async ({
      page,
      signedIn,
      newBrowser,
      mailbox,
      expectAccessible,
    }) => {
      const lost = await (await newBrowser()).newPage();
      const signIn = signInScreen(lost, here);
      await lost.goto(`/account/?lang=${language}`);
      await pressEnterOn(lost, signIn.forgot);
      const request = requestPasswordScreen(lost, here);
      await expect(request.heading).toBeFocused();
      await expectAccessible(lost);
      await typeInto(lost, request.email, signedIn.email.toUpperCase());
      await lost.keyboard.press('Enter');
      await expect(request.status).toContainText(
        fill(here.password_reset.sent, { email: signedIn.email.toUpperCase() }),
      );
      await expectAccessible(lost);

      const link = await mailbox.link(signedIn.email, PATH);
      await lost.goto(link);
      const reset = resetPasswordScreen(lost, here);
      await expect(reset.heading).toBeVisible();
      expect(lost.url()).not.toContain('token=');
      await expectAccessible(lost);
      await typeInto(lost, reset.password, NEW_PASSWORD);
      await typeInto(lost, reset.confirmation, NEW_PASSWORD);
      await pressEnterOn(lost, reset.submit);
      await expect(reset.status).toContainText(here.answer.reset_done);
      await expectAccessible(lost);

      expect((await page.request.get(`${API}/users/me`)).status()).toBe(401);
      await pressEnterOn(lost, reset.signIn);
      await expect(signIn.heading).toBeFocused();
      await signIn.signIn(signedIn);
      await expect(signIn.alert).toContainText(here.error.invalid_credentials);
      await signIn.signIn({ ...signedIn, password: NEW_PASSWORD });
      await expect(settingsScreen(lost, here).heading).toBeVisible();
      await mailbox.next(signedIn.email);
      expect(await mailbox.unreadCount(signedIn.email)).toBe(0);

      await lost.context().clearCookies();
      await lost.goto(`${link}&lang=${language}`);
      await reset.choose('Windy-Couch-44');
      await expect(reset.alert).toContainText(here.error.invalid_token);
    });
  });
}
