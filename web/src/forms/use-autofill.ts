import { useEffect } from 'react';

/** Browsers have autofilled a form after this time (specification section 9). */
const AUTOFILL_DELAY_MS = 300;

/** Calls `readPage` once, after the browser has autofilled a new form. */
export function useAutofill(readPage: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once a form, not once a render
  useEffect(() => {
    const timer = setTimeout(readPage, AUTOFILL_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
}
