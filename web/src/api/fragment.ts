import { currentLanguage } from '../i18n/texts';
import { ApiFailure } from './client';

export type FragmentName = 'header' | 'footer';

export type Fragments = Readonly<Record<FragmentName, string | null>>;

let embedded: { language: string; fragments: Fragments } | null = null;

/** Caches the fragments of the boot block, so that no fragment is fetched again. */
export function setEmbeddedFragments(language: string, fragments: Fragments): void {
  embedded = { language, fragments };
}

/** Fetches the HTML of the shared header or footer for this host. */
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
