import { useEffect, useRef } from 'react';

/**
 * Calls `look` when the browser shows the page again as it was left, from its back/forward cache: what the page
 * knew of the session may be over.
 */
export function usePageReturn(look: () => void): void {
  const latest = useRef(look);
  useEffect(() => {
    latest.current = look;
  });
  useEffect(() => {
    const shown = (event: PageTransitionEvent) => {
      if (event.persisted) latest.current();
    };
    addEventListener('pageshow', shown);
    return () => removeEventListener('pageshow', shown);
  }, []);
}
