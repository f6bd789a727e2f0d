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

/** Returns true for an error that needs no message. The request stays in progress until the function has finished. */
export type FailureHandler = (failure: unknown) => boolean | Promise<boolean>;

/** The state of a request that the user starts. */
export function useRequest(onFailure: FailureHandler = () => false): Sending {
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
      if (isMounted.current && (await onFailure(reason))) return;
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
