import { useMemo } from 'react';
import { ApiFailure } from './api/client';
import { type Loaded, useLoaded } from './use-loaded';

/** The state of a mailed link that is redeemed on opening. */
export type Redemption<Answer> = { kind: 'no_token' } | Loaded<Answer>;

// Pending calls by token: React's strict mode mounts a screen twice.
const pendingCalls = new Map<string, Promise<unknown>>();

/**
 * Redeems the secret of a mailed link with `redeem`, the same function in each render. Calls `onRedeemed` after
 * success.
 */
export function useRedemption<Answer>(
  token: string | null,
  redeem: (token: string) => Promise<Answer>,
  onRedeemed: (answer: Answer) => void,
): { state: Redemption<Answer>; retry: () => void } {
  const load = useMemo(() => (token ? () => redeemOnce(token, redeem) : null), [token, redeem]);
  const { state, reload } = useLoaded(load, { onLoaded: onRedeemed });
  return { state: token ? state : { kind: 'no_token' }, retry: reload };
}

function redeemOnce<Answer>(
  token: string,
  redeem: (token: string) => Promise<Answer>,
): Promise<Answer> {
  const pending = pendingCalls.get(token) as Promise<Answer> | undefined;
  if (pending) return pending;
  const answer = redeem(token).finally(() => pendingCalls.delete(token));
  pendingCalls.set(token, answer);
  return answer;
}

/** Whether a retry may succeed: the server was unreachable or overloaded. */
export function isTemporary(failure: unknown): boolean {
  return !(failure instanceof ApiFailure) || failure.status === 429 || failure.status > 499;
}
