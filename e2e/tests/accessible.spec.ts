import { expect, test } from '../fixtures.ts';
import { inLanguage, PUBLIC_SCREENS } from '../screens/all.ts';
import { SettingsScreen } from '../screens/settings.ts';
import { Shell } from '../screens/shell.ts';
import { words } from '../words.ts';

// The languages with the shortest and the longest texts. states.spec.ts covers the others.
for (const language of ['en', 'de'] as const) {
  for (const { name, path } of PUBLIC_SCREENS) {
    test(`axe finds nothing on ${name} in ${language}`, async ({ page, expectAccessible }) => {
      await page.goto(inLanguage(path, language));
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page.locator('html')).toHaveAttribute('lang', language);
      await expectAccessible(page);
    });
  }

  test(`axe finds nothing on settings in ${language}`, async ({
    page,
    signedIn,
    expectAccessible,
  }) => {
    await page.goto(`/account/settings?lang=${language}`);
    const settings = new SettingsScreen(page, words[language]);
    await expect(settings.heading).toBeVisible();
    await expect(settings.main).toContainText(signedIn.username);
    await expectAccessible(page);
  });
}

test('axe finds nothing on the open language menu', async ({ page, expectAccessible }) => {
  await page.goto('/account/');
  await new Shell(page).language.click();
  await expectAccessible(page);
});
