import { useState } from 'react';
import { useClientValue } from './use-client-value';

/** The query parameters of mailed links that contain a secret (contract 3). */
export const LINK_TOKENS = ['token', 'migration_token', 'verificationToken', 'undo'] as const;
type TokenName = (typeof LINK_TOKENS)[number];
type Tokens = Readonly<Partial<Record<TokenName, string>>>;

/**
 * Moves the secret of a mailed link from the URL to the history state: it must not appear in screenshots, referrers
 * or the browser history (OWASP Forgot Password). The history state survives a reload and keeps the secret until it
 * is redeemed. In pages of the server `early.js` has already done this.
 */
export function takeLinkTokens(): void {
  const address = new URL(location.href);
  const given = LINK_TOKENS.filter((name) => address.searchParams.has(name));
  if (given.length === 0) return;
  const link = Object.fromEntries(given.map((name) => [name, address.searchParams.get(name)]));
  for (const name of given) address.searchParams.delete(name);
  history.replaceState({ ...history.state, link }, '', address);
}

/**
 * Whether the secret comes from the history state only, as after a reload. The server has then sent the page that was
 * prerendered without a link, and `early.js` hides it until the screen is mounted.
 */
export function useKeptLink(): boolean {
  return useClientValue(isLinkKept, false);
}

function isLinkKept(): boolean {
  return keptAtStart;
}

const keptAtStart =
  typeof document !== 'undefined' && document.documentElement.dataset.link === 'kept';

/** The secret of the link that opened this screen; null without a link or after its redemption. */
export function useLinkToken(name: TokenName): string | null {
  const kept = useKeptLink();
  const prerenderedWithout = keptAtStart && !kept;
  const [token] = useState(() => (prerenderedWithout ? null : tokensOfEntry()[name] || null));
  return token;
}

/** Removes a redeemed secret from the history state, so that a reload or back navigation does not redeem it again. */
export function dropLinkToken(name: TokenName): void {
  const { [name]: _redeemed, ...link } = tokensOfEntry();
  history.replaceState({ ...history.state, link }, '');
}

function tokensOfEntry(): Tokens {
  return history.state?.link ?? {};
}
