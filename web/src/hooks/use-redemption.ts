import { useMemo } from 'react';
import { ApiFailure } from '../api/client';
import { type Loaded, useLoaded } from './use-loaded';

/** The state of a mailed link that is redeemed on opening. */
export type Redemption<Result> = { kind: 'no_token' } | Loaded<Result>;

// The pending calls are kept by token, because React's strict mode mounts a screen twice.
const pendingCalls = new Map<string, Promise<unknown>>();

/**
 * Redeems the secret of a mailed link with `redeem`, which must be the same function in each render. Calls `onRedeemed`
 * after success.
 */
export function useRedemption<Result>(
  token: string | null,
  redeem: (token: string) => Promise<Result>,
  onRedeemed: (result: Result) => void,
): { state: Redemption<Result>; reloading: boolean; reload: () => void } {
  const load = useMemo(() => (token ? () => redeemOnce(token, redeem) : null), [token, redeem]);
  const { state, ...others } = useLoaded(load, { onLoaded: onRedeemed });
  return { state: token ? state : { kind: 'no_token' }, ...others };
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

/** Returns whether a retry may succeed, because the server was unreachable or overloaded. */
export function isTemporary(failure: unknown): boolean {
  return !(failure instanceof ApiFailure) || failure.status === 429 || failure.status > 499;
}
