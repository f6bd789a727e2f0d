import { computer } from '../chromium.ts';
import { expect, test } from '../fixtures.ts';
import { tabTo } from '../helpers/keys.ts';
import { signUpScreen } from '../screens/sign-up.ts';
import { words } from '../words.ts';

test.use(computer);

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
