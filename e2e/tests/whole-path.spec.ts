import { computer } from '../chromium.ts';
import { expect, test } from '../fixtures.ts';
import { settingsScreen } from '../screens/settings.ts';
import { pageShell } from '../screens/shell.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { signUpScreen } from '../screens/sign-up.ts';
import { verifyEmailScreen } from '../screens/verify-email.ts';
import { words } from '../words.ts';

test.use(computer);

const journeys = [
  { from: 'en', to: 'de', locale: 'en-US' },
  { from: 'de', to: 'pt', locale: 'de-DE' },
] as const;

for (const { from, to, locale } of journeys) {
  test.describe(`a visitor in ${from}`, { tag: '@both' }, () => {
    test.use({ locale });

    test('registers, verifies the address, signs in, changes the language and signs out', async ({
      page,
      person,
      mailbox,
      expectAccessible,
    }) => {
      const here = words[from];
      const signIn = signInScreen(page, here);
      await signIn.open();
      await expect(signIn.heading).toBeVisible();
      await expectAccessible(page);

      await signIn.create.click();
      const signUp = signUpScreen(page, here);
      await expect(signUp.heading).toBeVisible();
      await signUp.fill(person);
      await expectAccessible(page);
      await signUp.submit.click();
      await expect(signUp.done).toBeVisible();
      await expectAccessible(page);

      await page.goto(await mailbox.link(person.email, '/account/verify-email'));
      const verify = verifyEmailScreen(page, here);
      await expect(verify.status).toContainText(here.answer.email_verified);
      await expectAccessible(page);
      await expect(signIn.heading).toBeVisible();

      await signIn.signIn(person);
      const settings = settingsScreen(page, here);
      await expect(settings.heading).toBeVisible();
      await expect(page).toHaveURL('/account/settings');
      await expect(settings.main).toContainText(person.username);
      await expect(settings.main).toContainText(person.email);
      await expectAccessible(page);

      const there = words[to];
      const shell = pageShell(page, here);
      await shell.choose(to);
      await expect(shell.html).toHaveAttribute('lang', to);
      const settingsThere = settingsScreen(page, there);
      await expect(settingsThere.heading).toBeVisible();
      await page.reload();
      await expect(settingsThere.heading).toBeVisible();

      await settingsThere.signOut.click();
      await expect(signInScreen(page, there).heading).toBeVisible();
      await settingsThere.open();
      await expect(signInScreen(page, there).heading).toBeVisible();
      expect(await mailbox.unreadCount(person.email)).toBe(0);
    });
  });
}
