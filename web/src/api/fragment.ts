import i18next from 'i18next';
import { ApiFailure } from './client';

export type Part = 'header' | 'footer';

/** The HTML of the shared header or footer for this host. */
export async function fetchFragment(part: Part, signal: AbortSignal): Promise<string> {
  const query = new URLSearchParams({ domain: location.hostname });
  const response = await fetch(`/account/account-api/ui/${part}?${query}`, {
    headers: { 'Accept-Language': i18next.language },
    signal,
  });
  if (response.status > 399) throw new ApiFailure(response.status, null);
  return response.text();
}
