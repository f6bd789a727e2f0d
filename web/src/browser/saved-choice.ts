const SECONDS_PER_DAY = 24 * 60 * 60;
/** The cookie that exists only while a script checks whether the browser stores cookies. */
const TEST_COOKIE = 'account_test';

/** Adds the prefix `__Host-` to a cookie name if the page uses https. No other host can set such a cookie. */
function cookieName(name: string): string {
  return location.protocol === 'https:' ? `__Host-${name}` : name;
}

/** Reads a choice from its cookie. Returns null if there is no cookie whose value starts with a lower-case letter. */
export function readChoice(name: string): string | null {
  return document.cookie.match(new RegExp(`(?:^|; )${cookieName(name)}=([a-z]+)`))?.[1] ?? null;
}

/** Saves a choice (lower-case letters) in a cookie, because a sign-out clears `localStorage`. */
export function saveChoice(name: string, choice: string, days = 365): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${cookieName(name)}=${choice}; Path=/; Max-Age=${days * SECONDS_PER_DAY}; SameSite=Lax${secure}`;
}

/** Returns whether the browser stores a cookie. `navigator.cookieEnabled` stays true if Chromium blocks all cookies. */
export function acceptsCookies(): boolean {
  saveChoice(TEST_COOKIE, 'yes');
  const isSaved = readChoice(TEST_COOKIE) !== null;
  saveChoice(TEST_COOKIE, 'yes', 0);
  return isSaved;
}
