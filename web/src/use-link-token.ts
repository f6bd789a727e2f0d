import { useState } from 'react';

/** Where the links of our mails carry their secret (contract 3). */
export const LINK_TOKENS = ['token', 'migration_token', 'verificationToken', 'undo'] as const;
type TokenName = (typeof LINK_TOKENS)[number];

let opened = { path: '', tokens: new Map<TokenName, string>() };

/**
 * Takes the secret of a mailed link out of the address bar, before anything else is loaded: neither
 * the history, nor a screenshot, nor a file from elsewhere may hold it (OWASP Forgot Password).
 */
export function takeLinkTokens(): void {
  const address = new URL(location.href);
  if (!LINK_TOKENS.some((name) => address.searchParams.has(name))) {
    // `early.js` has taken it out already, as the first thing of the page.
    rememberLink(new URL(window.early?.opened ?? address));
    return;
  }
  rememberLink(address);
  for (const name of LINK_TOKENS) address.searchParams.delete(name);
  history.replaceState(history.state, '', address);
}

/** Keeps the secret of a link for the screen that it opens. */
export function rememberLink({ pathname, searchParams }: URL): void {
  const tokens = new Map<TokenName, string>();
  for (const name of LINK_TOKENS) {
    const token = searchParams.get(name);
    if (token) tokens.set(name, token);
  }
  opened = { path: pathname, tokens };
}

/** The secret of the link that opened this screen; null when there was none, or it is spent. */
export function useLinkToken(name: TokenName): string | null {
  const [token] = useState(() =>
    location.pathname === opened.path ? (opened.tokens.get(name) ?? null) : null,
  );
  return token;
}

/** Forgets a secret that works no more, so that coming Back does not try it again. */
export function dropLinkToken(name: TokenName): void {
  opened.tokens.delete(name);
}
