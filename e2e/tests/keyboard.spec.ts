import { computer } from '../chromium.ts';
import { expect, test } from '../fixtures.ts';
import { expectFocusRing, tabTo } from '../helpers/keys.ts';
import { settingsScreen } from '../screens/settings.ts';
import { pageShell } from '../screens/shell.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { signUpScreen } from '../screens/sign-up.ts';
import { words } from '../words.ts';

test.use(computer);

test('registration works by keyboard alone', async ({ page, person }) => {
  const signIn = signInScreen(page);
  await signIn.open();
  await tabTo(page, signIn.create);
  await page.keyboard.press('Enter');

  const signUp = signUpScreen(page);
  await expect(signUp.heading).toBeVisible();
  await tabTo(page, signUp.email);
  await page.keyboard.type(person.email);
  await tabTo(page, signUp.username);
  await page.keyboard.type(person.username);
  await tabTo(page, signUp.password);
  await page.keyboard.type(person.password);
  await tabTo(page, signUp.country);
  await page.keyboard.type('Germ');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(signUp.country).toHaveValue(words.en.countryvalues.de);
  await tabTo(page, signUp.zipcode);
  await page.keyboard.type('10115');
  await tabTo(page, signUp.month);
  await page.keyboard.press('ArrowDown');
  await tabTo(page, signUp.day);
  await page.keyboard.type('7');
  await tabTo(page, signUp.year);
  await page.keyboard.type('1989');
  await tabTo(page, signUp.marketing);
  await page.keyboard.press('Space');
  await expect(signUp.marketing).toBeChecked();
  await tabTo(page, signUp.submit);
  await page.keyboard.press('Enter');
  await expect(signUp.done).toBeVisible();
});

test('letters typed in quick succession replace the preselected country', async ({ page }) => {
  const signUp = signUpScreen(page);
  // The test types several times, because only a render at the right moment can lose a letter.
  for (let round = 0; round < 4; round++) {
    await signUp.open();
    await tabTo(page, signUp.country);
    await page.keyboard.type('Chil');
    await expect(signUp.country).toHaveValue('Chil');
  }
});

test('the open list of countries stays in sight, and Tab leaves it for the next field', async ({
  page,
}) => {
  // The field is at the lower edge, so that the list opens below the window.
  await page.setViewportSize({ width: 360, height: 500 });
  const signUp = signUpScreen(page);
  const marked = page.getByRole('listbox').getByRole('option', { selected: true });
  await signUp.open();
  await signUp.country.click();
  await page.keyboard.type('germ');
  await expect(signUp.country).toHaveValue('germ');
  await page.keyboard.press('Escape');
  await signUp.country.press('ArrowDown');
  await expect(marked).toHaveText(words.en.countryvalues.de);
  await page.keyboard.press('Escape');
  await signUp.country.fill('');
  await page.evaluate(() => scrollTo(0, 0));
  await page.keyboard.press('ArrowDown');
  for (let step = 0; step < 12; step++) await page.keyboard.press('ArrowDown');
  await expect(marked).toBeInViewport();
  await page.keyboard.press('Tab');
  await expect(signUp.zipcode).toBeFocused();
});

test('sign-in, language change and sign-out work by keyboard alone', async ({ page, member }) => {
  const signIn = signInScreen(page);
  await signIn.open();
  await tabTo(page, signIn.email);
  await page.keyboard.type(member.email);
  await tabTo(page, signIn.password);
  await page.keyboard.type(member.password);
  await page.keyboard.press('Enter');
  await expect(settingsScreen(page).heading).toBeVisible();

  const shell = pageShell(page);
  await tabTo(page, shell.language);
  await page.keyboard.press('Enter');
  await expect(shell.languages).toHaveCount(Object.keys(words).length);
  await expect(shell.choice('en')).toBeFocused();
  await expectFocusRing(page);
  await page.keyboard.press('ArrowDown');
  await expect(shell.choice('de')).toBeFocused();
  await expectFocusRing(page);
  await page.keyboard.press('Enter');

  const settings = settingsScreen(page, words.de);
  await expect(settings.heading).toBeVisible();
  await tabTo(page, settings.signOut);
  await page.keyboard.press('Enter');
  await expect(signInScreen(page, words.de).heading).toBeVisible();
});

test('the registration fields have their tab order', async ({ page }) => {
  const signUp = signUpScreen(page);
  await signUp.open();
  const { email, username, password, country, zipcode, day, month, year, marketing } = signUp;
  const order = [email, username, password, country, zipcode, day, month, year, marketing];
  await email.focus();
  const reached: number[] = [0];
  for (let presses = 0; presses < 30 && reached.at(-1) !== order.length - 1; presses += 1) {
    await page.keyboard.press('Tab');
    for (const [index, field] of order.entries()) {
      const here = await field.evaluate((element) => element === document.activeElement);
      if (here) reached.push(index);
    }
  }
  expect(reached).toEqual([...order.keys()]);
});

test('Escape closes the language menu and restores the focus', async ({ page }) => {
  const shell = pageShell(page);
  await page.goto('/account/');
  await tabTo(page, shell.language);
  await page.keyboard.press('Enter');
  await expect(shell.languages).toHaveCount(Object.keys(words).length);
  await page.keyboard.press('Escape');
  await expect(shell.languages).toHaveCount(0);
  await expect(shell.language).toBeFocused();
});
