import { useState } from 'react';
import { dropLinkToken, type TokenName } from '../url/link-tokens';
import { useHydratesWithoutState, useKeptResult } from './use-kept-result';

type Tokens = Readonly<Partial<Record<TokenName, string>>>;

/** Returns the secret of the mailed link that opened this screen, or null without a link or after its redemption. */
export function useLinkToken(name: TokenName): string | null {
  const hydratesWithoutState = useHydratesWithoutState();
  const [token] = useState(() => (hydratesWithoutState ? null : tokensOfEntry()[name] || null));
  return token;
}

function tokensOfEntry(): Tokens {
  return history.state?.link ?? {};
}

/** The result of redeeming the link that opened this screen. The result replaces the secret in the history state. */
export function useLinkResult<Result>(name: TokenName) {
  const { done, keep } = useKeptResult<Result>(name);
  return {
    done,
    keep(result: Result) {
      keep(result);
      dropLinkToken(name);
    },
  };
}
