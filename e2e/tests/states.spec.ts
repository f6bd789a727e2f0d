import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { expectNothingCutOff } from '../screens/cut-off.ts';
import { STORIES, visit } from '../screens/gallery.ts';

const screens = [...new Set(STORIES.map(({ screen }) => screen))];

const LANGUAGES = ['en', 'de', 'es', 'pt'];

/** Minimum target size in pixels. WCAG 2.5.8 requires 24, except for links in a sentence. */
const TARGET = 44;

// No guard: the fake servers return errors, which the screens log to the console.
test.use({ guarded: false });

for (const screen of screens) {
  const stories = STORIES.filter((story) => story.screen === screen);

  // Each state in one language, in rotation, because only the length of the texts differs. accessible.spec.ts covers
  // all screens in the shortest and the longest language.
  test(`every state of ${screen} is accessible`, async ({ page, expectAccessible }) => {
    // A visit takes one to two seconds.
    test.setTimeout(60_000 + stories.length * 10_000);
    for (const [index, story] of stories.entries()) {
      const language = LANGUAGES[index % LANGUAGES.length] ?? 'en';
      await test.step(`${story.name}, ${language}`, async () => {
        await page.setViewportSize({ width: 1280, height: 800 });
        await visit(page, story, language);
        await expect(page.locator('html')).toHaveAttribute('lang', language);
        await expectAccessible(page);
        await expectAnnouncedOnce(page);
        await page.setViewportSize({ width: 320, height: 568 });
        await expectNothingCutOff(page);
        await expectTargets(page);
      });
    }
  });
}

/** Expects at most one alert, and no live region that is empty or repeats another one. */
async function expectAnnouncedOnce(page: Page): Promise<void> {
  const main = page.getByRole('main');
  const alerts = await main.getByRole('alert').allInnerTexts();
  const statuses = await main.getByRole('status').allInnerTexts();
  expect(alerts.length).toBeLessThanOrEqual(1);
  const said = [...alerts, ...statuses].map((text) => text.trim());
  expect(said).not.toContain('');
  expect(new Set(said).size).toBe(said.length);
}

async function expectTargets(page: Page): Promise<void> {
  const small = await page.locator('main').evaluate((main, least) => {
    const inSentence = (element: Element) =>
      element.tagName === 'A' && element.closest('p')?.textContent !== element.textContent;
    return [...main.querySelectorAll('a, button, select, input:not([type="checkbox"]), label')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter((element) => element.tagName !== 'LABEL' || element.querySelector('input'))
      .filter((element) => !inSentence(element))
      .filter((element) => element.getBoundingClientRect().height < least - 0.5)
      .map((element) => element.outerHTML);
  }, TARGET);
  expect(small).toEqual([]);
}
