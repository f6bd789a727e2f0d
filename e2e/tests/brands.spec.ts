import type { Locator } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { storyOf, visit } from '../helpers/gallery.ts';
import { Program } from '../site/program.ts';

/** The minimum distance to the hue of errors in degrees, as in `src/config/accent.rs`. */
const MIN_HUE_DISTANCE = 28;

test.use({ guarded: false });

test('no brand of the demo has an accent close to the red of errors', async ({ browser }) => {
  const demo = await Program.start({}, 'demo');
  const page = await browser.newPage({ baseURL: demo.origin });
  const contents = await page.request.get('/account/dev/gallery/contents');
  const { regions }: { regions: { id: string }[] } = await contents.json();
  expect(regions.length).toBeGreaterThan(1);
  for (const { id } of regions) {
    await test.step(id, async () => {
      await visit(page, storyOf('sign-in', 'failed'), 'en', id);
      const submit = page.locator('main form [type="submit"]');
      const accent = await hueOf(submit, 'backgroundColor');
      const danger = await hueOf(page.getByRole('alert'), 'borderTopColor');
      const apart = Math.abs(accent - danger) % 360;
      expect(Math.min(apart, 360 - apart), `${accent}° ${danger}°`).toBeGreaterThan(
        MIN_HUE_DISTANCE,
      );
    });
  }
  await page.close();
  await demo.stop();
});

/** Returns the hue of a colour of an element, in degrees of OKLab. */
async function hueOf(
  element: Locator,
  property: 'backgroundColor' | 'borderTopColor',
): Promise<number> {
  const colour = await element.evaluate((found, name) => {
    const sample = document.createElement('i');
    sample.style.color = `oklch(from ${getComputedStyle(found)[name]} l c h)`;
    found.append(sample);
    const { color } = getComputedStyle(sample);
    sample.remove();
    return color;
  }, property);
  const hue = colour.match(/^oklch\(\S+ \S+ ([\d.]+)/)?.[1];
  if (hue === undefined) throw new Error(`no hue in ${colour}`);
  return Number(hue);
}
