import type { Config } from './api/config';
import type { Fragments } from './api/fragment';
import type { Catalogue, Language } from './languages';

/** The data that the server embeds in the page, so that the first screen needs no further request. */
export interface BootBlock {
  language: Language;
  config: Config;
  /** Whether the HTTP request for the page had a session cookie, or undefined if the server does not know. */
  session?: boolean;
  /** Header and footer in the page's language, if the server has them in its cache but did not inline them. */
  fragments?: Fragments;
  /** The translations in the page's language. Only screens that show countries get the country names. */
  translations: Catalogue;
}

/**
 * Reads the boot block, the start data that the server embeds in the page. Returns null if the boot block is empty
 * (`npm run dev`).
 */
export function readBootBlock(page: Document): BootBlock | null {
  const block = page.getElementById('boot')?.textContent;
  return block ? (JSON.parse(block) as BootBlock) : null;
}
