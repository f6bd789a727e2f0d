import { useEffect, useState } from 'react';
import { ApiFailure } from '../api/client';
import { confirmEmailChange, type EmailNow } from '../api/email-change';
import { report } from '../api/message';

export type Confirmation =
  | { kind: 'no_token' }
  | { kind: 'confirming' }
  | { kind: 'changed'; email: string }
  /** `passing` may go well the next time: nobody answered, or not in earnest. */
  | { kind: 'failed'; failure: unknown; passing: boolean };

// A mailed link is spent once a visit, however often its screen is put up and taken down.
const asked = new Map<string, Promise<EmailNow>>();

/** Spends the token of the link. */
export function useEmailConfirmation(token: string | null) {
  const [step, setStep] = useState<Confirmation>({ kind: token ? 'confirming' : 'no_token' });
  const [round, setRound] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is another try
  useEffect(() => {
    if (!token) return;
    let current = true;
    setStep({ kind: 'confirming' });
    confirmOnce(token).then(
      ({ email }) => current && setStep({ kind: 'changed', email }),
      (failure: unknown) => {
        if (!current) return;
        report(failure);
        setStep({ kind: 'failed', failure, passing: isPassing(failure) });
      },
    );
    return () => {
      current = false;
    };
  }, [token, round]);

  function retry() {
    if (token) asked.delete(token);
    setRound((number) => number + 1);
  }
  return { step, retry };
}

function confirmOnce(token: string): Promise<EmailNow> {
  const answer = asked.get(token) ?? confirmEmailChange(token);
  asked.set(token, answer);
  return answer;
}

function isPassing(failure: unknown): boolean {
  return !(failure instanceof ApiFailure) || failure.status === 429 || failure.status > 499;
}
