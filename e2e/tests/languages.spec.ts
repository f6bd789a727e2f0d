import { expect, test } from '../fixtures.ts';
import { pageShell } from '../screens/shell.ts';
import { signInScreen } from '../screens/sign-in.ts';
import { fill, words } from '../words.ts';

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

test('the menu lists each language with name, code and flag, and marks the current one', async ({
  page,
}) => {
  await page.goto('/account/');
  const shell = pageShell(page);
  await shell.language.click();
  await expect(shell.languages).toHaveCount(Object.keys(words).length);
  for (const language of Object.keys(words) as (keyof typeof words)[]) {
    const entry = shell.choice(language);
    await expect(entry).toContainText(new RegExp(language, 'i'));
    await expect(entry.locator('svg, img').first()).toBeVisible();
    await expect(entry).toHaveAttribute('aria-checked', String(language === 'en'));
  }
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

test('a language change applies at once, including the title, and is saved', async ({ page }) => {
  await page.goto('/account/');
  const before = await page.title();
  await pageShell(page).choose('de');
  await expect(signInScreen(page, words.de).heading).toBeVisible();
  await expect(page).not.toHaveTitle(before);
  const [saved] = (await page.context().cookies()).filter((c) => c.name === 'account_language');
  expect(saved).toMatchObject({ value: 'de', path: '/', sameSite: 'Lax' });
});

test.describe('when the texts fail to load', () => {
  // The guard is off, because the browser logs each failed HTTP request.
  test.use({ guarded: false });

  test('a language choice announces the loading and then the failure', async ({ page }) => {
    await page.clock.install();
    await page.route('**/account-api/translations/*', (route) => route.fulfill({ status: 503 }));
    await page.goto('/account/');
    const { shell } = words.en;
    await pageShell(page).choose('de');
    const loading = fill(shell.language_loading, { language: 'Deutsch' });
    await expect(page.getByRole('main').getByText(loading)).toBeVisible();
    const announcer = page.locator('[aria-live]:not(main *)');
    await expect(announcer).toHaveText(loading);
    // The timeout is long, because five retries take eleven seconds.
    await expect(async () => {
      await page.clock.runFor(3000);
      await expect(page.getByRole('alert')).toHaveText(shell.language_failed, { timeout: 500 });
    }).toPass();
    await expect(announcer).toBeEmpty();
    await expect(signInScreen(page).heading).toBeVisible();
  });
});
