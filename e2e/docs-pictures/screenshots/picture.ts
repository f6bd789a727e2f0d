import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import UPNG from 'upng-js';

const FOLDER = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url));
/** The number of colours, which is enough for flat colours and font smoothing and halves the file size. */
const COLOURS = 192;
/** The distance between two steps, in pixels. */
const GAP = 24;
/** The channels of a pixel: red, green, blue, alpha. */
const BYTES = 4;

/**
 * Saves a picture of the whole page as docs/screenshots/NAME-WIDTH.png. The viewport gets the height of the page,
 * because the fixed background ends at the viewport's height. `complete` is the element that loads last.
 */
export async function takePicture(
  page: Page,
  name: string,
  complete = page.getByRole('contentinfo'),
): Promise<void> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await complete.waitFor();
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: whole });
  await page.evaluate(() => scrollTo(0, 0));
  const raw = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  await page.setViewportSize({ width, height });
  const image = UPNG.decode(new Uint8Array(raw).buffer);
  await save(`${name}-${width}`, UPNG.toRGBA8(image), image);
}

/** Takes a picture of the visible part of the page, as a step for `saveSteps`. */
export async function takeStep(page: Page): Promise<Buffer> {
  await page.getByRole('contentinfo').waitFor();
  return page.screenshot({ animations: 'disabled', caret: 'hide' });
}

/** Saves pictures of the same size side by side as docs/screenshots/NAME.png. */
export async function saveSteps(name: string, steps: readonly Buffer[]): Promise<void> {
  const images = steps.map((raw) => UPNG.decode(new Uint8Array(raw).buffer));
  const [first] = images;
  if (!first) throw new Error('no step was taken');
  const { width: step, height } = first;
  const width = images.length * (step + GAP) - GAP;
  // The gaps between the pictures stay transparent.
  const whole = new Uint8Array(width * height * BYTES);
  for (const [index, image] of images.entries()) {
    const [pixels = new ArrayBuffer()] = UPNG.toRGBA8(image);
    for (let y = 0; y < height; y += 1) {
      const line = new Uint8Array(pixels, y * step * BYTES, step * BYTES);
      whole.set(line, (y * width + index * (step + GAP)) * BYTES);
    }
  }
  await save(name, [whole.buffer], { width, height });
}

async function save(
  name: string,
  frames: ArrayBuffer[],
  { width, height }: { width: number; height: number },
): Promise<void> {
  const small = UPNG.encode(frames, width, height, COLOURS);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${FOLDER}${name}.png`, Buffer.from(small));
}
