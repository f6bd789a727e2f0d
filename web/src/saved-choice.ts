const A_YEAR = 365 * 24 * 60 * 60;

/** With https no other host of the domain can plant this name. The server reads it by the same rule. */
function fullName(name: string): string {
  return location.protocol === 'https:' ? `__Host-${name}` : name;
}

/** A choice that somebody made earlier in this browser: a word of small letters. */
export function readChoice(name: string): string | null {
  return document.cookie.match(new RegExp(`(?:^|; )${fullName(name)}=([a-z]+)`))?.[1] ?? null;
}

/** Keeps a choice for a year. */
export function saveChoice(name: string, choice: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${fullName(name)}=${choice}; Path=/; Max-Age=${A_YEAR}; SameSite=Lax${secure}`;
}
