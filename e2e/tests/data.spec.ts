import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from '../fixtures.ts';
import { pressEnterOn, tabTo } from '../helpers/keys.ts';
import { unpack } from '../site/archive.ts';
import { words } from '../words.ts';

for (const language of ['en', 'de'] as const) {
  const { data, devices, settings, activity } = words[language];

  test.describe(`personal data in ${language}`, () => {
    test.use({ locale: language });

    test('the newsletter choice is made, saved and listed, by keyboard alone', {
      tag: '@postgres',
    }, async ({ page, signedIn, expectAccessible }) => {
      await page.goto('/account/settings');
      await expect(page.getByRole('main')).toContainText(signedIn.email);
      await pressEnterOn(page, page.getByRole('link', { name: settings.nav_data, exact: true }));
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(data.title);
      const region = page.getByRole('region', { name: data.newsletter });
      const choice = region.getByRole('switch', { name: data.newsletter_choice });
      await expect(choice).not.toBeChecked();
      await expectAccessible(page);
      await tabTo(page, choice);
      await page.keyboard.press('Space');
      await expect(page.getByRole('status')).toContainText(data.newsletter_given);
      await expect(choice).toBeFocused();
      await expectAccessible(page);

      await page.reload();
      await expect(choice).toBeChecked();
      await tabTo(page, choice);
      await page.keyboard.press('Space');
      await expect(page.getByRole('status')).toContainText(data.newsletter_withdrawn);

      await page.goto('/account/activity');
      await expect(page.getByText(activity.marketing_consent_changed)).toHaveCount(2);
    });

    test('the data are downloaded as a file that is readable offline', async ({
      page,
      browser,
      signedIn,
      expectAccessible,
    }, testInfo) => {
      await page.goto('/account/settings/data');
      const region = page.getByRole('region', { name: data.download });
      const download = page.waitForEvent('download');
      await region.getByRole('button', { name: data.download_button }).click();
      const file = await download;
      expect(file.suggestedFilename()).toMatch(
        new RegExp(`^account-${signedIn.username}-\\d{4}-\\d\\d-\\d\\d\\.zip$`),
      );
      await expect(page.getByRole('status')).toContainText(data.download_done);
      await expectAccessible(page);

      const folder = testInfo.outputPath('export');
      expect(await unpack(await file.path(), folder)).toEqual(['account.json', 'index.html']);
      const { account } = JSON.parse(await readFile(`${folder}/account.json`, 'utf8'));
      expect(account.username).toBe(signedIn.username);
      const reader = await browser.newContext();
      const opened = await reader.newPage();
      const requests: string[] = [];
      opened.on('request', (request) => requests.push(request.url()));
      const address = pathToFileURL(`${folder}/index.html`).href;
      await opened.goto(address);
      await expect(opened.locator('html')).toHaveAttribute('lang', language);
      await expect(opened.getByRole('heading', { name: devices.title })).toBeVisible();
      await expect(opened.getByText(signedIn.email)).toBeVisible();
      await expectAccessible(opened);
      expect(requests).toEqual([address]);
      await reader.close();
    });
  });
}
