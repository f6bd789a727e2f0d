import { useEffect, useRef, useState } from 'react';
import { report } from '../api/message';

export interface Sending {
  /** The request is in progress. */
  busy: boolean;
  /** The error of the last request, or null. */
  failure: unknown;
  /**
   * Does nothing while a request is in progress, so that a double click sends one request. After unmounting, `onDone` is
   * not called and a failure is only logged.
   */
  send: <Result>(call: () => Promise<Result>, onDone: (result: Result) => void) => Promise<void>;
  /** Clears the error. */
  forget: () => void;
}

/** A request started by the user. `handled` returns true for errors that it has handled itself. */
export function useRequest(handled: (failure: unknown) => boolean = () => false): Sending {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  // A ref, because `busy` changes only with the next render, and a second click may come before.
  const running = useRef(false);
  const mounted = useRef(false);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);

  async function send<Result>(call: () => Promise<Result>, onDone: (result: Result) => void) {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setFailure(null);
    let result: Result;
    try {
      result = await call();
    } catch (reason) {
      if (mounted.current && handled(reason)) return;
      report(reason);
      setFailure(reason);
      return;
    } finally {
      running.current = false;
      setBusy(false);
    }
    if (mounted.current) onDone(result);
  }

  return { busy, failure, send, forget: () => setFailure(null) };
}
