import { REQUEST_TIMEOUT_MS } from '../api/client';

/** Sends the first requests of the screen before its scripts, which need another second on a phone. */
export function sendEarlyRequests(): Map<string, Promise<Response>> {
  const responses = new Map<string, Promise<Response>>();

  /** Sends a request without a language, because the settings show no message of these responses. */
  function send(path: string) {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const response = fetch(`/account/account-api${path}`, { signal });
    // The browser logs a failure that no handler catches. The screen reports the failure when it awaits the response.
    response.catch(() => undefined);
    responses.set(path, response);
  }

  // The settings need the data of the signed-in user (`pages/settings/settings.tsx`).
  if (location.pathname === '/account/settings') {
    send('/users/me');
    send('/security');
  }
  return responses;
}
