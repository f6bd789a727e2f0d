import { useMemo } from 'react';
import type { TokenName } from '../url/link-tokens';
import { useLinkResult, useLinkToken } from './use-link-token';
import { type Loaded, useLoaded } from './use-loaded';

/** The state of a mailed link that is redeemed as soon as the screen opens. */
export type Redemption<Result> = { kind: 'no_token' } | Loaded<Result>;

// By token. React's strict mode mounts a screen twice, but a token must be sent only once.
const pendingCalls = new Map<string, Promise<unknown>>();

/**
 * Redeems the secret of a mailed link with `redeem`, which must be the same function in each render. If `isFinal` is
 * true for the result, the result replaces the secret in the history state, so that a reload shows the result again.
 */
export function useRedemption<Result>(
  name: TokenName,
  redeem: (token: string) => Promise<Result>,
  isFinal: (result: Result) => boolean = () => true,
) {
  const token = useLinkToken(name);
  const { done, keep } = useLinkResult<Result>(name);
  const load = useMemo(() => (token ? () => redeemOnce(token, redeem) : null), [token, redeem]);
  const { state, reloading, reload } = useLoaded(load, {
    onLoaded: (result) => {
      if (isFinal(result)) keep(result);
    },
  });
  const current: Redemption<Result> = token ? state : { kind: 'no_token' };
  const shown: Redemption<Result> = done ? { kind: 'loaded', data: done.result } : current;
  return { state: shown, token, reloading, reload, keep };
}

function redeemOnce<Result>(
  token: string,
  redeem: (token: string) => Promise<Result>,
): Promise<Result> {
  const pendingCall = pendingCalls.get(token) as Promise<Result> | undefined;
  if (pendingCall) return pendingCall;
  const result = redeem(token).finally(() => pendingCalls.delete(token));
  pendingCalls.set(token, result);
  return result;
}
