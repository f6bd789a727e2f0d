import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { addressOf, STORIES } from '../../web/gallery/states.ts';

export type Story = (typeof STORIES)[number];
export { STORIES };

/**
 * Opens a story and waits until its state is reached. The page checks at each frame, because a locator polls rarely.
 */
export async function visit(page: Page, story: Story, lang = 'en', region = ''): Promise<void> {
  await page.goto(addressOf(story, lang, region));
  await page.waitForFunction(() => document.documentElement.dataset.state === 'reached');
}

/** Finds a gallery story by its screen and its name. */
export function storyOf(screen: string, name: string): Story {
  const found = STORIES.find((story) => story.screen === screen && story.name === name);
  if (!found) throw new Error(`the gallery has no "${screen}: ${name}"`);
  return found;
}

const FONT = 'Atkinson Hyperlegible';
const FILES = {
  400: import.meta.resolve(
    '@fontsource/atkinson-hyperlegible/files/atkinson-hyperlegible-latin-400-normal.woff2',
  ),
  700: import.meta.resolve(
    '@fontsource/atkinson-hyperlegible/files/atkinson-hyperlegible-latin-700-normal.woff2',
  ),
};

/**
 * Makes the page use the same font on every machine, because pictures depend on fonts. A script creates the font faces
 * from bytes, because the content security policy does not restrict such font faces.
 */
export async function useOwnFont(page: Page): Promise<void> {
  const files = Object.entries(FILES).map(
    ([weight, file]) => [weight, readFileSync(new URL(file)).toString('base64')] as const,
  );
  await page.addInitScript(
    ({ font, files }) => {
      for (const [weight, file] of files) {
        const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
        const loaded = new FontFace(font, bytes, { weight });
        loaded.load();
        document.fonts.add(loaded);
      }
      document.addEventListener('DOMContentLoaded', () => {
        for (const name of ['--font', '--font-title']) {
          document.documentElement.style.setProperty(name, `"${font}"`);
        }
      });
    },
    { font: FONT, files },
  );
}
