import { expect, test } from '../fixtures.ts';
import { DESKTOP, expectNothingCutOff, resize, WINDOWS } from '../helpers/cut-off.ts';
import { inLanguage, PUBLIC_SCREENS } from '../screens/all.ts';
import { settingsScreen } from '../screens/settings.ts';
import { words } from '../words.ts';

// German has the longest texts. states.spec.ts covers all four languages.
const LANGUAGE = 'de';

for (const { path } of PUBLIC_SCREENS) {
  test(`${path} has no axe violation, and nothing is cut off`, async ({
    page,
    expectAccessible,
  }) => {
    await resize(page, DESKTOP);
    await page.goto(inLanguage(path, LANGUAGE));
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('lang', LANGUAGE);
    await expectAccessible(page);
    for (const window of WINDOWS) {
      await resize(page, window);
      await expectNothingCutOff(page);
    }
  });
}

test('the settings have no axe violation, and nothing is cut off', async ({
  page,
  signedIn,
  expectAccessible,
}) => {
  await resize(page, DESKTOP);
  await page.goto(`/account/settings?lang=${LANGUAGE}`);
  const settings = settingsScreen(page, words[LANGUAGE]);
  await expect(settings.heading).toBeVisible();
  await expect(settings.main).toContainText(signedIn.username);
  await expectAccessible(page);
  for (const window of WINDOWS) {
    await resize(page, window);
    await expect(page.getByText(signedIn.email)).toBeVisible();
    await expectNothingCutOff(page);
  }
});
