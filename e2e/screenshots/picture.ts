import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import UPNG from 'upng-js';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
/** Number of colours: enough for flat colours and font smoothing, and halves the file size. */
const COLOURS = 192;

/**
 * Takes the whole page as docs/screenshots/NAME-WIDTH.png. The viewport gets the height of the page first: otherwise
 * the fixed background would end at the viewport's height.
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
