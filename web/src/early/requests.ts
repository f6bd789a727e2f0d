/** The requests of the settings for the data of the signed-in user (`pages/settings/settings.tsx`). */
const SETTINGS_REQUESTS = ['/users/me', '/security', '/passkeys'];

/** Sends the requests of the screen at once, because a phone needs another second to load and run the scripts. */
export function sendEarlyRequests(): Map<string, Promise<Response>> {
  const paths = location.pathname === '/account/settings' ? SETTINGS_REQUESTS : [];
  return new Map(paths.map((path) => [path, send(path)]));
}

function send(path: string): Promise<Response> {
  const headers = { 'Accept-Language': document.documentElement.lang };
  const response = fetch(`/account/account-api${path}`, { headers });
  // The screen reports the failure. If the scripts cannot be loaded, nobody waits for the response.
  response.catch(() => undefined);
  return response;
}
