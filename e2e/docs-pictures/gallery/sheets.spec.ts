import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { test } from '../../fixtures.ts';
import { STORIES, type Story, useOwnFont, visit } from '../../helpers/gallery.ts';
import { Program } from '../../site/program.ts';
import { words } from '../../words.ts';

const FOLDER = fileURLToPath(new URL('../../../docs/gallery/', import.meta.url));
const HEIGHTS: Readonly<Record<number, number>> = { 360: 740, 768: 1024, 1280: 800 };
/** The maximum height of a WebP picture in pixels. */
const LARGEST_HEIGHT = 16_383;
/** Width of a thumbnail in pixels. */
const THUMBNAIL_WIDTH = 200;
/** The fixed time of the browser, so that the pictures do not depend on the date. */
const FIXED_TIME = new Date('2026-04-07T18:30:00Z');

/** The main state of each screen. */
const MAIN_STATES = [
  'sign-in: form',
  'sign-in: failed',
  'sign-up: errors',
  'request-password: sent',
  'reset-password: typing',
  'migration: second step',
  'completion: form',
  'verify-email: was this you?',
  'settings: account',
  'shell: not found',
];

interface Thumbnail {
  name: string;
  /** A JPEG in base64. */
  picture: string;
}

const titleOf = ({ screen, name }: Story) => `${screen}: ${name}`;
const main = STORIES.filter((story) => MAIN_STATES.includes(titleOf(story)));

test.use({ guarded: false, contextOptions: { reducedMotion: 'reduce' } });

test.beforeEach(async ({ page }) => {
  test.setTimeout(1_200_000);
  await page.clock.setFixedTime(FIXED_TIME);
  await useOwnFont(page);
});

test('every state at phone width', async ({ page }) => {
  await saveSheet(page, 'states-360', await takeThumbnails(page, STORIES, 360));
});

for (const width of [768, 1280]) {
  test(`the main screens at ${width} px`, async ({ page }) => {
    await saveSheet(page, `screens-${width}`, await takeThumbnails(page, main, width));
  });
}

test('the main screens in every language', async ({ page }) => {
  const taken: Thumbnail[] = [];
  for (const language of Object.keys(words)) {
    taken.push(...(await takeThumbnails(page, main, 360, language)));
  }
  await saveSheet(page, 'languages-360', taken);
});

test('the sign-in of every brand', async ({ browser }) => {
  const demo = await Program.start({}, 'demo');
  const context = await browser.newContext({ baseURL: demo.origin });
  const page = await context.newPage();
  await useOwnFont(page);
  const contents = await page.request.get('/account/dev/gallery/contents');
  const { regions }: { regions: { id: string }[] } = await contents.json();
  const taken: Thumbnail[] = [];
  for (const { id } of regions) {
    for (const width of [360, 1280]) {
      const [one] = await takeThumbnails(page, main.slice(0, 1), width, 'en', id);
      if (one) taken.push({ ...one, name: `${id}, ${width} px` });
    }
  }
  await saveSheet(page, 'brands', taken);
  await context.close();
  await demo.stop();
});

test('every mail', async ({ page, request }) => {
  const contents = await request.get('/account/dev/gallery/contents');
  const { mails }: { mails: string[] } = await contents.json();
  const taken: Thumbnail[] = [];
  for (const kind of mails) {
    for (const language of Object.keys(words)) {
      await page.setViewportSize({ width: 480, height: 640 });
      await page.goto(`/account/dev/gallery/mail/${kind}?lang=${language}`);
      taken.push({ name: `${kind}, ${language}`, picture: await takePicture(page) });
    }
  }
  await saveSheet(page, 'mails', taken, 130);
});

async function takeThumbnails(
  page: Page,
  stories: readonly Story[],
  width: number,
  language = 'en',
  region = '',
): Promise<Thumbnail[]> {
  const taken: Thumbnail[] = [];
  for (const story of stories) {
    await page.setViewportSize({ width, height: HEIGHTS[width] ?? 800 });
    await visit(page, story, language, region);
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    taken.push({ name: `${titleOf(story)}, ${language}`, picture: await takePicture(page) });
  }
  return taken;
}

/** Takes the whole page in a viewport of the page's height, because the background is fixed to the viewport. */
async function takePicture(page: Page): Promise<string> {
  const { width } = page.viewportSize() ?? { width: 0 };
  const height = await page.evaluate(() => {
    // The position of the card depends on the viewport height.
    const content = document.getElementById('content');
    if (content) content.style.paddingBlockStart = getComputedStyle(content).paddingBlockStart;
    scrollTo(0, 0);
    return document.documentElement.scrollHeight;
  });
  await page.setViewportSize({ width, height });
  const options = { type: 'jpeg', quality: 80, animations: 'disabled' } as const;
  return (await page.screenshot(options)).toString('base64');
}

/** Writes all pictures as one sheet, docs/gallery/NAME.webp. */
async function saveSheet(
  page: Page,
  name: string,
  taken: readonly Thumbnail[],
  small = THUMBNAIL_WIDTH,
) {
  const figures = taken.map(
    ({ name: title, picture }) =>
      `<figure><img src="data:image/jpeg;base64,${picture}"><figcaption>${title}</figcaption></figure>`,
  );
  const paper = await page.context().newPage();
  await paper.setContent(`<style>
    body { background: #fff; display: flex; flex-wrap: wrap; font: 11px sans-serif; gap: 10px; margin: 12px }
    figure { margin: 0 } img { display: block; inline-size: ${name.endsWith('1280') ? 320 : small}px }
    figcaption { inline-size: 0; min-inline-size: 100%; overflow-wrap: anywhere }
    </style>${figures.join('')}`);
  let clip: Awaited<ReturnType<typeof measure>>;
  let width = 0;
  do {
    width += 1680;
    await paper.setViewportSize({ width, height: 800 });
    clip = await measure(paper);
  } while (clip.height > LARGEST_HEIGHT);
  const session = await page.context().newCDPSession(paper);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 60,
    captureBeyondViewport: true,
    clip,
  });
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${FOLDER}${name}.webp`, Buffer.from(data, 'base64'));
  await paper.close();
}

/** Returns the whole page as an element of which a screenshot can be taken. */
function measure(paper: Page) {
  return paper.evaluate(() => {
    const { scrollWidth: width, scrollHeight: height } = document.documentElement;
    return { x: 0, y: 0, width, height, scale: 1 };
  });
}
