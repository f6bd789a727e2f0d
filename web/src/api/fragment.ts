import i18next from 'i18next';
import { ApiFailure } from './client';

export type Part = 'header' | 'footer';

export type Fragments = Readonly<Record<Part, string | null>>;

let given: { language: string; fragments: Fragments } | null = null;

/** Keeps the parts that came with the page, so that nobody has to ask for them. */
export function setEmbeddedFragments(language: string, fragments: Fragments): void {
  given = { language, fragments };
}

/** The HTML of the shared header or footer for this host. */
export async function fetchFragment(part: Part, signal: AbortSignal): Promise<string> {
  const brought = given?.language === i18next.language ? given.fragments[part] : null;
  if (brought !== null) return brought;
  const query = new URLSearchParams({ domain: location.hostname });
  const response = await fetch(`/account/account-api/ui/${part}?${query}`, {
    headers: { 'Accept-Language': i18next.language },
    signal,
  });
  if (response.status > 399) throw new ApiFailure(response.status, null);
  return response.text();
}
