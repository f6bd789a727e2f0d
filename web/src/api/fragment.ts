import { currentLanguage } from '../i18n/texts';
import { ApiFailure } from './client';

export type FragmentName = 'header' | 'footer';

export type Fragments = Readonly<Record<FragmentName, string | null>>;

let embedded: { language: string; fragments: Fragments } | null = null;

/** Stores the header and footer that the page embeds, so that `fetchFragment` sends no request for these fragments. */
export function setEmbeddedFragments(language: string, fragments: Fragments): void {
  embedded = { language, fragments };
}

/** Returns the HTML of the header or footer that the site of this host shares with other applications. */
export async function fetchFragment(name: FragmentName, signal: AbortSignal): Promise<string> {
  const embeddedHtml = embedded?.language === currentLanguage() ? embedded.fragments[name] : null;
  if (embeddedHtml !== null) return embeddedHtml;
  const query = new URLSearchParams({ domain: location.hostname });
  const response = await fetch(`/account/account-api/ui/${name}?${query}`, {
    headers: { 'Accept-Language': currentLanguage() },
    signal,
  });
  if (response.status > 399) throw new ApiFailure(response.status, null);
  return response.text();
}
