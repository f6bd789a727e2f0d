import { useState } from 'react';
import { keepLinkResult, type LinkResult, type TokenName } from '../url/link-tokens';
import { useClientValue } from './use-client-value';

type Tokens = Readonly<Partial<Record<TokenName, string>>>;

/**
 * Returns whether a link's secret is only in the history state, as after a reload. In this case the server sends the
 * page that was prerendered without a link, and `early/main.ts` hides that page until the screen is mounted.
 */
export function useKeptLink(): boolean {
  return useClientValue(isLinkKept, false);
}

function isLinkKept(): boolean {
  return keptAtStart;
}

const keptAtStart =
  typeof document !== 'undefined' && document.documentElement.dataset.link === 'kept';

/** Returns the secret of the link that opened this screen, or null if there is no link or it was redeemed. */
export function useLinkToken(name: TokenName): string | null {
  const isKeptLink = useKeptLink();
  const prerenderedWithout = keptAtStart && !isKeptLink;
  const [token] = useState(() => (prerenderedWithout ? null : tokensOfEntry()[name] || null));
  return token;
}

function tokensOfEntry(): Tokens {
  return history.state?.link ?? {};
}

/** Returns the result of the link that opened this screen, and a function that keeps the result through a reload. */
export function useLinkResult<Result>(name: TokenName) {
  const isKeptLink = useKeptLink();
  const [current, setCurrent] = useState<LinkResult<Result> | null>(null);
  const isPrerendered = keptAtStart && !isKeptLink;
  const kept: LinkResult<Result> | undefined = isPrerendered ? undefined : history.state?.done;

  function keep(result: Result) {
    const done = { name, result };
    keepLinkResult(done);
    setCurrent(done);
  }
  return {
    /** The result of the link, or null if the link was not redeemed. */
    done: current ?? (kept?.name === name ? kept : null),
    keep,
  };
}
