import { expect, test } from '../fixtures.ts';
import { pageShell } from '../screens/shell.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { words } from '../words.ts';

test.describe('a browser that requests Spanish', () => {
  test.use({ locale: 'es-MX' });

  test('uses the language of the address, then the saved choice, then the browser languages', async ({
    page,
  }) => {
    const shell = pageShell(page, words.es);
    await page.goto('/account/');
    await expect(shell.html).toHaveAttribute('lang', 'es');
    await expect(signInScreen(page, words.es).heading).toBeVisible();

    await shell.choose('pt');
    await expect(shell.html).toHaveAttribute('lang', 'pt');
    await page.goto('/account/');
    await expect(signInScreen(page, words.pt).heading).toBeVisible();

    await page.goto('/account/?lang=de');
    await expect(signInScreen(page, words.de).heading).toBeVisible();
    await expect(shell.html).toHaveAttribute('lang', 'de');
  });
});

test.describe('a browser that requests an unsupported language', () => {
  test.use({ locale: 'ja-JP' });

  test('gets English', async ({ page }) => {
    await page.goto('/account/');
    await expect(signInScreen(page).heading).toBeVisible();
    await expect(pageShell(page).html).toHaveAttribute('lang', 'en');
  });
});

test('on phones the menu is below the screen, in the tab order and with its list in view', async ({
  page,
}) => {
  const shell = pageShell(page);
  for (const [width, isPhone] of [
    [360, true],
    [479, true],
    [480, false],
  ] as const) {
    await page.setViewportSize({ width, height: 740 });
    await page.goto('/account/');
    const { email, create } = signInScreen(page);
    const [menu, link] = await Promise.all([shell.language.boundingBox(), create.boundingBox()]);
    expect((menu?.y ?? 0) > (link?.y ?? 0)).toBe(isPhone);
    await (isPhone ? create : email).focus();
    await page.keyboard.press(isPhone ? 'Tab' : 'Shift+Tab');
    await expect(shell.language).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(shell.choice('en')).toBeFocused();
    for (const entry of await shell.languages.all())
      await expect(entry).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Escape');
    await expect(shell.language).toBeFocused();
  }
});
