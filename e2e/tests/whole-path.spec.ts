import { computer } from '../chromium.ts';
import { expect, test } from '../fixtures.ts';
import {
  expectFocusRing,
  pressEnterOn,
  signInByKeyboard,
  tabTo,
  typeInto,
} from '../helpers/keys.ts';
import { settingsScreen } from '../screens/settings.ts';
import { pageShell } from '../screens/shell.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { signUpScreen } from '../screens/sign-up.ts';
import { verifyEmailScreen } from '../screens/verify-email.ts';
import { words } from '../words.ts';

test.use(computer);

const journeys = [
  { from: 'en', to: 'de', locale: 'en-US' },
  { from: 'de', to: 'es', locale: 'de-DE' },
] as const;

for (const { from, to, locale } of journeys) {
  test.describe(`a visitor in ${from}`, { tag: '@postgres' }, () => {
    test.use({ locale });

    test('registers, verifies the address, signs in, changes the language and signs out, by keyboard alone', async ({
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

      await pressEnterOn(page, signIn.create);
      const signUp = signUpScreen(page, here);
      await expect(signUp.heading).toBeVisible();
      await typeInto(page, signUp.email, person.email);
      await typeInto(page, signUp.username, person.username);
      await typeInto(page, signUp.password, person.password);
      await typeInto(page, signUp.country, here.countryvalues.de.slice(0, 5));
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect(signUp.country).toHaveValue(here.countryvalues.de);
      await typeInto(page, signUp.zipcode, '10115');
      await typeInto(page, signUp.day, '7');
      await tabTo(page, signUp.month);
      await page.keyboard.press('ArrowDown');
      await typeInto(page, signUp.year, '1989');
      await tabTo(page, signUp.marketing);
      await page.keyboard.press('Space');
      await expect(signUp.marketing).toBeChecked();
      await expectAccessible(page);
      await pressEnterOn(page, signUp.submit);
      await expect(signUp.done).toBeVisible();
      await expectAccessible(page);

      await page.goto(await mailbox.link(person.email, '/account/verify-email'));
      const verify = verifyEmailScreen(page, here);
      await expect(verify.status).toContainText(here.answer.email_verified);
      await expectAccessible(page);
      await pressEnterOn(page, verify.back);
      await expect(signIn.heading).toBeFocused();

      await signInByKeyboard(page, person, here);
      const settings = settingsScreen(page, here);
      await expect(settings.heading).toBeVisible();
      await expect(page).toHaveURL('/account/settings');
      await expect(settings.main).toContainText(person.username);
      await expect(settings.main).toContainText(person.email);
      await expectAccessible(page);

      const there = words[to];
      const shell = pageShell(page, here);
      await pressEnterOn(page, shell.language);
      await expect(shell.languages).toHaveCount(Object.keys(words).length);
      await expect(shell.choice(from)).toBeFocused();
      await expectFocusRing(page);
      await page.keyboard.press('ArrowDown');
      await expect(shell.choice(to)).toBeFocused();
      await expectFocusRing(page);
      await page.keyboard.press('Enter');
      await expect(shell.html).toHaveAttribute('lang', to);
      const settingsThere = settingsScreen(page, there);
      await expect(settingsThere.heading).toBeVisible();
      await page.reload();
      await expect(settingsThere.heading).toBeVisible();

      await pressEnterOn(page, settingsThere.signOut);
      await expect(signInScreen(page, there).heading).toBeVisible();
      await settingsThere.open();
      await expect(signInScreen(page, there).heading).toBeVisible();
      expect(await mailbox.unreadCount(person.email)).toBe(0);
    });
  });
}
