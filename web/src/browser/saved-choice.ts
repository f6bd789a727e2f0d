const SECONDS_PER_DAY = 24 * 60 * 60;

/**
 * The prefix, with https, prevents other hosts of the domain from setting the cookie. The server applies the same rule.
 */
function fullName(name: string): string {
  return location.protocol === 'https:' ? `__Host-${name}` : name;
}

/** Reads a choice saved in this browser: lower-case letters, or null. */
export function readChoice(name: string): string | null {
  return document.cookie.match(new RegExp(`(?:^|; )${fullName(name)}=([a-z]+)`))?.[1] ?? null;
}

/** Saves a choice in a cookie. A sign-out clears `localStorage`, but not this cookie. */
export function saveChoice(name: string, choice: string, days = 365): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${fullName(name)}=${choice}; Path=/; Max-Age=${days * SECONDS_PER_DAY}; SameSite=Lax${secure}`;
}
