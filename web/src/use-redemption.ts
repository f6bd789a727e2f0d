import { useEffect, useState } from 'react';
import { ApiFailure } from './api/client';
import { report } from './api/message';

/** How far a mailed link is that is redeemed by opening it. */
export type Redemption<Answer> =
  | { kind: 'no_token' }
  | { kind: 'asking' }
  | { kind: 'redeemed'; answer: Answer }
  /** `passing` may go well the next time: the server was not reached, or could not answer now. */
  | { kind: 'failed'; failure: unknown; passing: boolean };

// One call at a time for each link: React mounts a screen twice in its strict mode.
const asked = new Map<string, Promise<unknown>>();

/** Redeems the secret of a mailed link with `ask`; `onRedeemed` is called once for each answer. */
export function useRedemption<Answer>(
  token: string | null,
  ask: (token: string) => Promise<Answer>,
  onRedeemed: (answer: Answer) => void,
) {
  const [state, setState] = useState<Redemption<Answer>>({ kind: token ? 'asking' : 'no_token' });
  const [reloadKey, setReloadKey] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new reloadKey loads again
  useEffect(() => {
    if (!token) return;
    let current = true;
    setState({ kind: 'asking' });
    askOnce(token, ask).then(
      (answer) => {
        if (!current) return;
        onRedeemed(answer);
        setState({ kind: 'redeemed', answer });
      },
      (failure: unknown) => {
        if (!current) return;
        report(failure);
        setState({ kind: 'failed', failure, passing: isPassing(failure) });
      },
    );
    return () => {
      current = false;
    };
  }, [token, reloadKey]);

  return { state, retry: () => setReloadKey((key) => key + 1) };
}

function askOnce<Answer>(token: string, ask: (token: string) => Promise<Answer>): Promise<Answer> {
  const underWay = asked.get(token) as Promise<Answer> | undefined;
  if (underWay) return underWay;
  const answer = ask(token).finally(() => asked.delete(token));
  asked.set(token, answer);
  return answer;
}

function isPassing(failure: unknown): boolean {
  return !(failure instanceof ApiFailure) || failure.status === 429 || failure.status > 499;
}
