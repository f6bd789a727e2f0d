import { REQUEST_TIMEOUT_MS } from '../api/client';

/** The paths of the requests that the settings screen sends first (`pages/settings/settings.tsx`). */
const SETTINGS_REQUESTS = ['/users/me', '/security', '/passkeys'];

/** Sends the first requests of the screen before its scripts, which need another second on a phone. */
export function sendEarlyRequests(): Map<string, Promise<Response>> {
  const paths = location.pathname === '/account/settings' ? SETTINGS_REQUESTS : [];
  return new Map(paths.map((path) => [path, send(path)]));
}

/** The request has no `Accept-Language`, because the settings show no message of these responses. */
function send(path: string): Promise<Response> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const response = fetch(`/account/account-api${path}`, { signal });
  // Without a handler the browser would log the failure. The screen reports the failure when it awaits the response.
  response.catch(() => undefined);
  return response;
}
