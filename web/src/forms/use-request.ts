import { useEffect, useRef, useState } from 'react';
import { logFailure } from '../api/message';

export interface Sending {
  busy: boolean;
  /** The error of the last request, or null. */
  failure: unknown;
  /**
   * Sends a request, unless a request is in progress, so that a double click sends one request. If the component was
   * unmounted, a success is ignored and a failure is only logged.
   */
  send: <Result>(call: () => Promise<Result>, onDone: (result: Result) => void) => Promise<void>;
  forget: () => void;
}

/** The state of a request that the user starts. `onFailure` returns true if the failure needs no error message. */
export function useRequest(onFailure: (failure: unknown) => boolean = () => false): Sending {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  // A ref changes at once, but the state `busy` only with the next render, and a second click may come earlier.
  const isRunning = useRef(false);
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);

  async function send<Result>(call: () => Promise<Result>, onDone: (result: Result) => void) {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setFailure(null);
    let result: Result;
    try {
      result = await call();
    } catch (reason) {
      if (isMounted.current && onFailure(reason)) return;
      logFailure(reason);
      setFailure(reason);
      return;
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
    if (isMounted.current) onDone(result);
  }

  return { busy, failure, send, forget: () => setFailure(null) };
}
