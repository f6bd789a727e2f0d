import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { eachStep } from '../helpers/each-step.ts';
import { inLanguage } from '../screens/all.ts';
import { type Language, words } from '../words.ts';

const LANGUAGES = Object.keys(words) as Language[];

for (const language of LANGUAGES) {
  test(`every header link is reachable at every width with the texts of ${language}`, async ({
    page,
  }) => {
    const { shell } = words[language];
    const header = page.getByRole('banner');
    const menu = header.getByRole('button', { name: shell.menu });
    const links = header.getByRole('navigation').getByRole('link');
    await page.goto(inLanguage('/account/', language));
    await eachStep([320, 360, 640, 1280], String, async (width) => {
      await page.setViewportSize({ width, height: 640 });
      if (width < 640) {
        await expect(links).toHaveCount(0);
        await menu.press('Enter');
      }
      await expect(menu).toBeVisible({ visible: width < 640 });
      await expect(links).toHaveText([shell.episodes, shell.random_episode, shell.avatar_creator]);
      for (const part of [...(await links.all()), header.getByRole('link').first()]) {
        await expectInside(part, width);
      }
      await expectNothingSideways(page);
      if (width < 640) await page.keyboard.press('Escape');
    });
  });
}

async function expectInside(part: Locator, width: number): Promise<void> {
  const box = await part.boundingBox();
  if (!box) throw new Error('the link has no bounding box');
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(width);
  expect(box.height).toBeGreaterThanOrEqual(44);
  // The element must not be covered by another element or clipped by an ancestor.
  await part.click({ trial: true });
}

async function expectNothingSideways(page: Page): Promise<void> {
  const sideways = await page.evaluate(() => {
    const root = document.querySelector('[data-part="header"]')?.shadowRoot;
    const inside = [...(root?.querySelectorAll('*') ?? []), document.documentElement];
    return inside
      .filter((element) => element.scrollWidth > element.clientWidth && element.clientWidth > 0)
      .map((element) => element.localName);
  });
  expect(sideways).toEqual([]);
}

test('the header menu closes on Escape and on an outside click, and its links work', async ({
  page,
  expectAccessible,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto('/account/');
  const { shell } = words.en;
  const header = page.getByRole('banner');
  const menu = header.getByRole('button', { name: shell.menu });
  const link = header.getByRole('link', { name: shell.episodes });
  await menu.click();
  await expect(link).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(link).toBeHidden();
  await expect(menu).toBeFocused();
  await menu.click();
  await page.mouse.click(20, 600);
  await expect(link).toBeHidden();
  await menu.click();
  await page.keyboard.press('Tab');
  await expect(link).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: shell.episodes })).toBeVisible();
});
