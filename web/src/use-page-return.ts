import { useEffect, useRef } from 'react';

/** Calls `look` when the page is restored from the back/forward cache, because the session may have changed. */
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
