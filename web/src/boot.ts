import type { Config } from './api/config';
import type { Fragments } from './api/fragment';
import type { Catalogue, Language } from './languages';

/** The data that the server embeds in the page, so that the first screen needs no further request. */
export interface BootBlock {
  language: Language;
  config: Config;
  /** Whether the HTTP request for the page had a session cookie, or undefined if the server does not know. */
  session?: boolean;
  /**
   * The header and footer in the page's language, if the server has cached them but has not inlined them in the HTML.
   */
  fragments?: Fragments;
  /** The translations in the page's language. Country names are present only if the screen shows countries. */
  translations: Catalogue;
}

/** Reads the boot data from the element `#boot`. Returns null if the element is empty, as with `npm run dev`. */
export function readBootBlock(page: Document): BootBlock | null {
  const block = page.getElementById('boot')?.textContent;
  return block ? (JSON.parse(block) as BootBlock) : null;
}
