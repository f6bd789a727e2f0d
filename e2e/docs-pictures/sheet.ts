import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));

export interface Picture {
  /** The text below the picture, or an empty text. */
  caption: string;
  /** A PNG in base64. */
  image: string;
}

interface SheetOptions {
  /** The width of each picture on the sheet, in pixels. */
  width: number;
  /** The number of pictures in a row. */
  columns: number;
}

/** Takes the visible part of the page. */
export async function takePicture(page: Page, caption = ''): Promise<Picture> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    scrollTo(0, 0);
  });
  const image = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  return { caption, image: image.toString('base64') };
}

/** Takes the whole page in a viewport of the page's height, because the background is fixed to the viewport. */
export async function takeWholePage(page: Page, caption = ''): Promise<Picture> {
  const { width } = page.viewportSize() ?? { width: 0 };
  const height = await page.evaluate(() => {
    // The position of the card depends on the viewport height.
    const content = document.getElementById('content');
    if (content) content.style.paddingBlockStart = getComputedStyle(content).paddingBlockStart;
    scrollTo(0, 0);
    return document.documentElement.scrollHeight;
  });
  await page.setViewportSize({ width, height });
  return takePicture(page, caption);
}

/** Writes all pictures as one sheet, docs/pictures/NAME.webp. */
export async function saveSheet(
  page: Page,
  name: string,
  pictures: readonly Picture[],
  { width, columns }: SheetOptions,
): Promise<void> {
  const figures = pictures.map(
    ({ caption, image }) =>
      `<figure><img src="data:image/png;base64,${image}"><figcaption>${caption}</figcaption></figure>`,
  );
  const paper = await page.context().newPage();
  await paper.setViewportSize({ width: columns * (width + 16) + 16, height: 800 });
  await paper.setContent(`<style>
    body { background: #0c0c11; color: #bbb; font: 12px sans-serif; margin: 16px }
    main { display: grid; gap: 16px; grid-template-columns: repeat(${columns}, ${width}px) }
    figure { margin: 0 }
    img { border-radius: 12px; box-shadow: 0 0 0 1px #333; display: block; inline-size: 100% }
    figcaption:not(:empty) { overflow-wrap: anywhere; padding: 6px 4px }
    </style><main>${figures.join('')}</main>`);
  const clip = await paper.evaluate(() => {
    const { scrollWidth: width } = document.documentElement;
    const height = document.querySelector('main')?.offsetHeight ?? 0;
    return { x: 0, y: 0, width, height: height + 32, scale: 1 };
  });
  const session = await page.context().newCDPSession(paper);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 70,
    captureBeyondViewport: true,
    clip,
  });
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${FOLDER}${name}.webp`, Buffer.from(data, 'base64'));
  await paper.close();
}
