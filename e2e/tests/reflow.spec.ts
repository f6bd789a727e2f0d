import { expect, test } from '../fixtures.ts';
import { inLanguage, PUBLIC_SCREENS } from '../screens/all.ts';
import { expectNothingCutOff } from '../screens/cut-off.ts';

/** The smallest width of WCAG 1.4.10, and the width of a 1280 px viewport at 200 % zoom (1.4.4). */
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
