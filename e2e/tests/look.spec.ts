import { wholeBrowser } from '../chromium.ts';
import { expect, test } from '../fixtures.ts';
import { eachStep } from '../helpers/each-step.ts';
import { storyOf, useOwnFont, visit } from '../helpers/gallery.ts';
import { words } from '../words.ts';

/**
 * The tests compare the main screens with reference pictures, which `make pictures` renews. The font is the same on
 * every machine, but font smoothing may differ slightly.
 */
const SCREENS = [
  ['sign-in', 'form'],
  ['sign-in', 'failed'],
  ['sign-up', 'errors'],
  ['request-password', 'sent'],
  ['reset-password', 'typing'],
  ['completion', 'form'],
  ['verify-email', 'was this you?'],
  ['settings', 'account'],
  ['shell', 'not found'],
] as const;
const WINDOWS = [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
];
/** The fixed time of the browser, so that the pictures do not depend on the date. */
const FIXED_TIME = new Date('2026-04-07T18:30:00Z');

// The whole browser is used, because Chromium without windows positions letters differently.
test.use({ ...wholeBrowser, guarded: false, contextOptions: { reducedMotion: 'reduce' } });

for (const [screen, name] of SCREENS) {
  test(`"${screen}: ${name}" matches its screenshot`, async ({ page }) => {
    await page.clock.setFixedTime(FIXED_TIME);
    await useOwnFont(page);
    await eachStep(
      WINDOWS,
      ({ width }) => `${width} px`,
      async (viewport) => {
        await page.setViewportSize(viewport);
        await visit(page, storyOf(screen, name));
        await page.evaluate(async () => {
          await document.fonts.ready;
          if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
          scrollTo(0, 0);
        });
        await expect(page.getByRole('contentinfo')).toBeAttached();
        const file = `${screen}-${name.replace(/\W+/g, '-')}-${viewport.width}.png`;
        await expect(page).toHaveScreenshot(file);
      },
    );
  });
}

test('the gaps between the sections of the security screen are equal', async ({ page }) => {
  for (const { width, height } of WINDOWS) {
    await page.setViewportSize({ width, height });
    await visit(page, storyOf('security', 'two-step on'));
    const gaps = await page.evaluate(() => {
      // The picture shows the lower edge of a section with the shadow of the last button.
      const lowerEdge = (section: Element) => {
        const parts = [...section.children].map((part) => {
          const shadow = /\) 0px (\d+)px 0px 0px$/.exec(getComputedStyle(part).boxShadow);
          return part.getBoundingClientRect().bottom + Number(shadow?.[1] ?? 0);
        });
        return Math.max(...parts);
      };
      const sections = [...document.querySelectorAll('main section section')];
      return sections.slice(1).map((section, index) => {
        const above = sections[index];
        return above ? section.getBoundingClientRect().top - lowerEdge(above) : 0;
      });
    });
    expect(gaps, `${width} px`).toHaveLength(2);
    expect(new Set(gaps).size, `${width} px: ${gaps}`).toBe(1);
  }
});

test('the button that corrects the email starts where the text above it starts', async ({
  page,
}) => {
  await visit(page, storyOf('sign-up', 'done'));
  const button = page.getByRole('button', { name: words.en.sign_up.correct });
  const starts = await button.evaluate((element) => {
    const left = (node: Node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return range.getBoundingClientRect().left;
    };
    return [element, element.previousElementSibling ?? document.body].map(left);
  });
  expect(starts[0]).toBe(starts[1]);
});
