import type { Page } from '@playwright/test';
import { timeLimit } from '../../web/build/time-limit.ts';
import { expect, test } from '../fixtures.ts';
import { DESKTOP, expectNothingCutOff, resize, WINDOWS } from '../helpers/cut-off.ts';
import { eachStep } from '../helpers/each-step.ts';
import { focusOf } from '../helpers/focus.ts';
import { STORIES, type Story, visit } from '../helpers/gallery.ts';
import { expectValidMarkup } from '../helpers/markup.ts';
import { type Language, words } from '../words.ts';

const screens = [...new Set(STORIES.map(({ screen }) => screen))];

const LANGUAGES = Object.keys(words) as Language[];
const [SMALLEST, , LARGE_TEXT] = WINDOWS;

/** The minimum target size in pixels. WCAG 2.5.8 requires 24 pixels, except for links in a sentence. */
const MIN_TARGET_SIZE = 44;

// The guard is off, because the fake servers return errors, which the screens log to the console.
test.use({ guarded: false });

for (const screen of screens) {
  const stories = STORIES.filter((story) => story.screen === screen);

  // Each state is tested in one language, in rotation, because only the length of the texts differs. accessible.spec.ts
  // covers all screens in the language with the longest texts.
  test(`every state of ${screen} is accessible and has the expected focus`, async ({
    page,
    expectAccessible,
  }) => {
    // The timeout is long, because each visit takes one to two seconds.
    test.setTimeout(timeLimit(60_000 + stories.length * 10_000));
    const titleOf = (story: Story) => `${story.name}, ${languageOf(story)}`;
    await eachStep(stories, titleOf, async (story) => {
      await page.setViewportSize(DESKTOP);
      await visit(page, story, languageOf(story));
      await expect(page.locator('html')).toHaveAttribute('lang', languageOf(story));
      await expectFocus(page, story);
      await expectAccessible(page);
      await expectValidMarkup(page);
      await expectAnnouncedOnce(page);
      await expectHeader(page, story);
      for (const window of [LARGE_TEXT, SMALLEST]) {
        await resize(page, window);
        await expectNothingCutOff(page);
      }
      await expectTargets(page);
    });
  });
}

function languageOf(story: Story): Language {
  const siblings = STORIES.filter(({ screen }) => screen === story.screen);
  return LANGUAGES[siblings.indexOf(story) % LANGUAGES.length] ?? 'en';
}

async function expectFocus(page: Page, story: Story): Promise<void> {
  const selector = focusOf(story);
  if (!selector) return;
  const place = page.locator(`main ${selector}`).first();
  await expect(place).toBeFocused();
  // An error must be inside the viewport, because users overlook an error outside the viewport.
  await expect(place).toBeInViewport();
}

/** Expects the header in the language of the screen, unless the state has no header. */
async function expectHeader(page: Page, story: Story): Promise<void> {
  const { answers = {} } = story.state;
  // The support view is a separate build and has no header and footer.
  if (story.screen === 'support') return;
  if ('GET /ui/header' in answers) return;
  await expect(page.getByRole('banner')).toContainText(words[languageOf(story)].shell.episodes);
}

/** Expects at most one alert, and no live region that is empty or repeats another live region. */
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
  }, MIN_TARGET_SIZE);
  expect(small).toEqual([]);
}
