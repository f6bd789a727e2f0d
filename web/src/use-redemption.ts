import { useEffect, useState } from 'react';
import { ApiFailure } from './api/client';
import { report } from './api/message';

/** The state of a mailed link that is redeemed on opening. */
export type Redemption<Answer> =
  | { kind: 'no_token' }
  | { kind: 'redeeming' }
  | { kind: 'redeemed'; answer: Answer }
  /** `temporary`: a retry may succeed, because the server was unreachable or overloaded. */
  | { kind: 'failed'; failure: unknown; temporary: boolean };

// Pending calls by token: React's strict mode mounts a screen twice.
const pendingCalls = new Map<string, Promise<unknown>>();

/** Redeems the secret of a mailed link with `redeem`. Calls `onRedeemed` after success. */
export function useRedemption<Answer>(
  token: string | null,
  redeem: (token: string) => Promise<Answer>,
  onRedeemed: (answer: Answer) => void,
) {
  const [state, setState] = useState<Redemption<Answer>>({
    kind: token ? 'redeeming' : 'no_token',
  });
  const [reloadKey, setReloadKey] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new reloadKey loads again
  useEffect(() => {
    if (!token) return;
    let current = true;
    setState({ kind: 'redeeming' });
    redeemOnce(token, redeem).then(
      (answer) => {
        if (!current) return;
        onRedeemed(answer);
        setState({ kind: 'redeemed', answer });
      },
      (failure: unknown) => {
        if (!current) return;
        report(failure);
        setState({ kind: 'failed', failure, temporary: isTemporary(failure) });
      },
    );
    return () => {
      current = false;
    };
  }, [token, reloadKey]);

  return { state, retry: () => setReloadKey((key) => key + 1) };
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

function isTemporary(failure: unknown): boolean {
  return !(failure instanceof ApiFailure) || failure.status === 429 || failure.status > 499;
}
