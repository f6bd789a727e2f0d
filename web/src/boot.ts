import type { Config } from './api/config';
import type { Fragments } from './api/fragment';
import type { Catalogue, Language } from './languages';

/** What the server writes into the page, so that the first screen needs no second trip. */
export interface Boot {
  language: Language;
  config: Config;
  /** False: the request for this page carried no session cookie. Missing: nobody looked. */
  session?: boolean;
  /** Header and footer in that language: what the server has at hand and did not draw. */
  fragments?: Fragments;
  /** The words of that language, with the names of the countries where one is chosen. */
  translations: Catalogue;
}

/** The boot block of the page; null where no server has filled it in (`npm run dev`). */
export function readBoot(page: Document): Boot | null {
  const block = page.getElementById('boot')?.textContent;
  return block ? (JSON.parse(block) as Boot) : null;
}
