import { expect, test } from '../fixtures.ts';
import { requestPasswordScreen, resetPasswordScreen } from '../screens/password-reset.ts';
import { settingsScreen } from '../screens/settings.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { API, newPerson } from '../site/accounts.ts';
import { fill, words } from '../words.ts';

const PATH = '/account/reset-password';
const NEW_PASSWORD = 'Rainy-Couch-43';

for (const language of ['en', 'de'] as const) {
  const here = words[language];

  test.describe(`recovery in ${language}`, { tag: '@both' }, () => {
    test.use({ locale: language });

    test('a forgotten password is reset, which ends all other sessions', async ({
      page,
      signedIn,
      newBrowser,
      mailbox,
      expectAccessible,
    }) => {
      const lost = await (await newBrowser()).newPage();
      const signIn = signInScreen(lost, here);
      await lost.goto(`/account/?lang=${language}`);
      await signIn.forgot.click();
      const request = requestPasswordScreen(lost, here);
      await expect(request.heading).toBeVisible();
      await expectAccessible(lost);
      await request.ask(signedIn.email.toUpperCase());
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
      await reset.choose(NEW_PASSWORD);
      await expect(reset.status).toContainText(here.answer.reset_done);
      await expectAccessible(lost);

      expect((await page.request.get(`${API}/users/me`)).status()).toBe(401);
      await reset.signIn.click();
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

    test('an address without an account gets the same response and no mail', async ({
      page,
      mailbox,
    }) => {
      const nobody = newPerson().email;
      const request = requestPasswordScreen(page, here);
      await page.goto(`/account/request-password?lang=${language}`);
      await request.ask(nobody);
      await expect(request.status).toContainText(fill(here.password_reset.sent, { email: nobody }));
      await request.back.click();
      await expect(signInScreen(page, here).heading).toBeVisible();
      expect(await mailbox.unreadCount(nobody)).toBe(0);
    });
  });

  test(`the request shows the error of the address in ${language}`, async ({ page }) => {
    const request = requestPasswordScreen(page, here);
    await page.goto(`/account/request-password?lang=${language}`);
    await request.ask('');
    await expect(request.alert).toContainText(here.error.missing_field);
    await request.ask('somebody');
    await expect(request.alert).toContainText(here.error.email_invalid);
  });

  test(`the errors of the new password are shown in ${language}, in order`, async ({ page }) => {
    const reset = resetPasswordScreen(page, here);
    await page.goto(`${PATH}?token=unknown&lang=${language}`);
    const steps = [
      ['', '', here.error.password_missing],
      ['ab1', 'ab1', here.error.password_too_short],
      ['abcdef1', 'abcdef1', here.error.password_uppercase],
      ['ABCDEF1', 'ABCDEF1', here.error.password_lowercase],
      ['Abcdefg', 'Abcdefg', here.error.password_digit],
      [NEW_PASSWORD, 'Rainy-Couch-44', here.error.passwords_differ],
      [NEW_PASSWORD, NEW_PASSWORD, here.error.invalid_token],
    ] as const;
    for (const [password, confirmation, message] of steps) {
      await reset.choose(password, confirmation);
      await expect(reset.alert).toContainText(message);
    }
  });

  test(`a link without a token links back to the request in ${language}`, async ({
    page,
    expectAccessible,
  }) => {
    const reset = resetPasswordScreen(page, here);
    await page.goto(`${PATH}?lang=${language}`);
    await expect(reset.alert).toContainText(here.password_reset.no_token);
    await expect(reset.password).toHaveCount(0);
    await expectAccessible(page);
    await reset.backToLogin.click();
    await expect(signInScreen(page, here).heading).toBeVisible();
  });
}
