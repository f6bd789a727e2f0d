import { REQUEST_TIMEOUT_MS } from '../api/client';

/** The requests of the settings for the data of the signed-in user (`pages/settings/settings.tsx`). */
const SETTINGS_REQUESTS = ['/users/me', '/security', '/passkeys'];

/** Sends the requests of the screen at once, because a phone needs another second to load and run the scripts. */
export function sendEarlyRequests(): Map<string, Promise<Response>> {
  const paths = location.pathname === '/account/settings' ? SETTINGS_REQUESTS : [];
  return new Map(paths.map((path) => [path, send(path)]));
}

/** Sends a request without a language, because the settings show no message of these responses. */
function send(path: string): Promise<Response> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const response = fetch(`/account/account-api${path}`, { signal });
  // The browser logs a failure that no handler catches. The screen reports the failure when it awaits the response.
  response.catch(() => undefined);
  return response;
}
