import { useEffect } from 'react';

/** Milliseconds after which browsers have filled in what they know (specification section 9). */
const AUTOFILL_DELAY_MS = 300;

/** Calls `readPage` once, when a freshly opened form has been filled in by the browser. */
export function useAutofill(readPage: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once a form, not once a render
  useEffect(() => {
    const timer = setTimeout(readPage, AUTOFILL_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
}
