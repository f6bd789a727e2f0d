import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import UPNG from 'upng-js';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
/** Enough for flat colours and the edges of letters, at half the size of a full picture. */
const COLOURS = 192;

/**
 * The whole page as docs/screenshots/NAME-WIDTH.png. The window grows to the page's height for it: in a
 * picture of more than the window, what is fixed to the window would end half-way down.
 */
export async function takePicture(page: Page, name: string): Promise<void> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.getByRole('contentinfo').waitFor();
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: whole });
  await page.evaluate(() => scrollTo(0, 0));
  const raw = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  await page.setViewportSize({ width, height });
  const image = UPNG.decode(new Uint8Array(raw).buffer);
  const small = UPNG.encode(UPNG.toRGBA8(image), image.width, image.height, COLOURS);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${FOLDER}${name}-${width}.png`, Buffer.from(small));
}
