import { wholeBrowser } from '../chromium.ts';
import { eachStep } from '../each-step.ts';
import { expect, test } from '../fixtures.ts';
import { storyOf, useOwnFont, visit } from '../screens/gallery.ts';

/**
 * Compares the main screens with reference pictures, which `make pictures` renews. The font is the same on every
 * machine; font smoothing may differ slightly.
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
/** A fixed time, so that the pictures do not depend on the date. */
const FIXED_TIME = new Date('2026-04-07T18:30:00Z');

// Chromium without windows positions letters differently.
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
