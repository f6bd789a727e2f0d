import { expect, test } from '../fixtures.ts';
import { storyOf, useOwnFont, visit } from '../screens/gallery.ts';

/**
 * The main screens beside their last pictures, which `make pictures` takes anew. Letters are the same
 * on every machine; how their edges are smoothed may differ a little.
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
/** Nothing on a picture may depend on the day it is taken. */
const MOMENT = new Date('2026-04-07T18:30:00Z');

test.use({ guarded: false, contextOptions: { reducedMotion: 'reduce' } });

for (const viewport of WINDOWS) {
  for (const [screen, name] of SCREENS) {
    test(`"${screen}: ${name}" at ${viewport.width} px looks as before`, async ({ page }) => {
      await page.setViewportSize(viewport);
      await page.clock.setFixedTime(MOMENT);
      await useOwnFont(page);
      await visit(page, storyOf(screen, name));
      await page.evaluate(async () => {
        await document.fonts.ready;
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        scrollTo(0, 0);
      });
      await expect(page.getByRole('contentinfo')).toBeAttached();
      const file = `${screen}-${name.replace(/\W+/g, '-')}-${viewport.width}.png`;
      await expect(page).toHaveScreenshot(file);
    });
  }
}
