import type { Config } from './api/config';
import type { Fragments } from './api/fragment';
import type { Catalogue, Language } from './languages';

/** The data that the server embeds in the page, so that the first screen needs no further request. */
export interface Boot {
  language: Language;
  config: Config;
  /** False if the page request had no session cookie. Absent if unknown. */
  session?: boolean;
  /** Cached header and footer in that language that the server did not inline as shadow roots. */
  fragments?: Fragments;
  /** The translations of that language, with country names only on screens that use them. */
  translations: Catalogue;
}

/** Reads the boot block of the page. Returns null if it is empty (`npm run dev`). */
export function readBoot(page: Document): Boot | null {
  const block = page.getElementById('boot')?.textContent;
  return block ? (JSON.parse(block) as Boot) : null;
}
