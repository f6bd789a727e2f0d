import { useState } from 'react';
import type { TokenName } from '../url/link-tokens';
import { useClientValue } from './use-client-value';

type Tokens = Readonly<Partial<Record<TokenName, string>>>;

/**
 * Returns whether the secret is only in the history state, as after a reload. The server then sends the page that was
 * prerendered without a link, and `early/main.ts` hides that page until the screen is mounted.
 */
export function useKeptLink(): boolean {
  return useClientValue(isLinkKept, false);
}

function isLinkKept(): boolean {
  return keptAtStart;
}

const keptAtStart =
  typeof document !== 'undefined' && document.documentElement.dataset.link === 'kept';

/** Returns the secret of the link that opened this screen. Null if there is no link or if the link was redeemed. */
export function useLinkToken(name: TokenName): string | null {
  const isKeptLink = useKeptLink();
  const prerenderedWithout = keptAtStart && !isKeptLink;
  const [token] = useState(() => (prerenderedWithout ? null : tokensOfEntry()[name] || null));
  return token;
}

function tokensOfEntry(): Tokens {
  return history.state?.link ?? {};
}
