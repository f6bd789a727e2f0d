import { useRef, useState } from 'react';
import { report } from '../api/message';

interface Sending {
  /** Under way: its button rests until it is over. */
  busy: boolean;
  /** What the last try failed with, or null. */
  failure: unknown;
  /** Does nothing while an earlier call is under way: two presses are one request. */
  send: <Answer>(ask: () => Promise<Answer>, onDone: (answer: Answer) => void) => Promise<void>;
  /** Takes the message about the last try away. */
  forget: () => void;
}

/** A request that somebody makes by a button. `handled` may deal with a failure in another way. */
export function useRequest(handled: (failure: unknown) => boolean = () => false): Sending {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  // Known at once; `busy` is known with the next render, and a second press may come before it.
  const running = useRef(false);

  async function send<Answer>(ask: () => Promise<Answer>, onDone: (answer: Answer) => void) {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setFailure(null);
    let answer: Answer;
    try {
      answer = await ask();
    } catch (reason) {
      if (handled(reason)) return;
      report(reason);
      setFailure(reason);
      return;
    } finally {
      running.current = false;
      setBusy(false);
    }
    onDone(answer);
  }

  return { busy, failure, send, forget: () => setFailure(null) };
}
