import { readFile } from 'node:fs/promises';
import { expect, test } from '../fixtures.ts';
import { words } from '../words.ts';

for (const language of ['en', 'de'] as const) {
  const { data, settings, activity } = words[language];

  test.describe(`personal data in ${language}`, () => {
    test.use({ locale: language });

    test('the newsletter is chosen by keyboard, and the choice is kept and listed', {
      tag: '@both',
    }, async ({ page, signedIn, expectAccessible }) => {
      await page.goto('/account/settings');
      await expect(page.getByRole('main')).toContainText(signedIn.email);
      await page.getByRole('link', { name: settings.nav_data, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(data.title);
      const region = page.getByRole('region', { name: data.newsletter });
      const choice = region.getByRole('switch', { name: data.newsletter_choice });
      await expect(choice).not.toBeChecked();
      await expectAccessible(page);
      await choice.focus();
      await page.keyboard.press('Space');
      await expect(page.getByRole('status')).toContainText(data.newsletter_given);
      await expect(choice).toBeFocused();
      await expectAccessible(page);

      await page.reload();
      await expect(choice).toBeChecked();
      await choice.click();
      await expect(page.getByRole('status')).toContainText(data.newsletter_withdrawn);

      await page.goto('/account/activity');
      await expect(page.getByText(activity.marketing_consent_changed)).toHaveCount(2);
    });

    test('the data are downloaded as a file, and a mail reports it', async ({
      page,
      signedIn,
      expectAccessible,
    }) => {
      await page.goto('/account/settings/data');
      const region = page.getByRole('region', { name: data.download });
      const download = page.waitForEvent('download');
      await region.getByRole('button', { name: data.download_button }).click();
      const file = await download;
      expect(file.suggestedFilename()).toMatch(
        new RegExp(`^account-${signedIn.username}-\\d{4}-\\d\\d-\\d\\d\\.zip$`),
      );
      const start = await readFile(await file.path());
      expect(start.subarray(0, 2).toString()).toBe('PK');
      await expect(page.getByRole('status')).toContainText(data.download_done);
      await expectAccessible(page);
    });
  });
}
