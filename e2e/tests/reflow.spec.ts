import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { inLanguage, PUBLIC_SCREENS } from '../screens/all.ts';

/** The smallest width of WCAG 1.4.10, and what 200 % zoom leaves of a window 1280 px wide (1.4.4). */
const windows = [
  { name: '320 px wide', viewport: { width: 320, height: 568 }, deviceScaleFactor: 1 },
  { name: 'at 200 % zoom', viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
];

for (const { name: window, ...use } of windows) {
  test.describe(window, () => {
    test.use(use);

    for (const { name, path } of PUBLIC_SCREENS) {
      for (const language of ['en', 'de']) {
        test(`nothing of ${name} in ${language} is cut off`, async ({ page }) => {
          await page.goto(inLanguage(path, language));
          await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
          await expectNothingCutOff(page);
        });
      }
    }

    test('nothing of the settings is cut off', async ({ page, signedIn }) => {
      await page.goto('/account/settings');
      await expect(page.getByText(signedIn.email)).toBeVisible();
      await expectNothingCutOff(page);
    });
  });
}

/** No scrolling sideways, and whatever can be read or used lies inside the window. */
async function expectNothingCutOff(page: Page): Promise<void> {
  const found = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const outside = [...document.querySelectorAll('main :is(h1, h2, p, a, button, input, select)')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter((element) => {
        const { left, right, width: own } = element.getBoundingClientRect();
        return own > 1 && (left < -0.5 || right > width + 0.5);
      });
    return {
      scrolls: document.documentElement.scrollWidth > width,
      outside: outside.map((element) => element.outerHTML),
    };
  });
  expect(found).toEqual({ scrolls: false, outside: [] });
}
