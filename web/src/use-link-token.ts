import { useState } from 'react';
import { useClientValue } from './use-client-value';

/** Where the links of our mails carry their secret (contract 3). */
export const LINK_TOKENS = ['token', 'migration_token', 'verificationToken', 'undo'] as const;
type TokenName = (typeof LINK_TOKENS)[number];
type Tokens = Readonly<Partial<Record<TokenName, string>>>;

/**
 * Takes the secret of a mailed link out of the address bar: no screenshot, no request for another file and no list
 * of visited pages may hold it (OWASP Forgot Password). The entry of the session history keeps it until it is
 * redeemed, so that a reload does not lose it. In a page of the server `early.js` has done so already.
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
 * Whether the secret comes from the history alone, as after a reload: then the server has drawn the screen as it
 * looks without a link. `early.js` hides that drawing until the screen is mounted.
 */
export function useKeptLink(): boolean {
  return useClientValue(isLinkKept, false);
}

function isLinkKept(): boolean {
  return keptAtStart;
}

const keptAtStart =
  typeof document !== 'undefined' && document.documentElement.dataset.link === 'kept';

/** The secret of the link that opened this screen; null when there was none, or it is redeemed. */
export function useLinkToken(name: TokenName): string | null {
  const kept = useKeptLink();
  const drawnWithout = keptAtStart && !kept;
  const [token] = useState(() => (drawnWithout ? null : tokensOfEntry()[name] || null));
  return token;
}

/** Forgets a secret that is redeemed, so that neither a reload nor coming Back tries it again. */
export function dropLinkToken(name: TokenName): void {
  const { [name]: _redeemed, ...link } = tokensOfEntry();
  history.replaceState({ ...history.state, link }, '');
}

function tokensOfEntry(): Tokens {
  return history.state?.link ?? {};
}
