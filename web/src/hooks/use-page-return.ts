import { useEffect, useRef } from 'react';

/** Calls `onReturn` if the page is restored from the back/forward cache, because the session may have ended. */
export function usePageReturn(onReturn: () => void): void {
  const latestOnReturn = useRef(onReturn);
  useEffect(() => {
    latestOnReturn.current = onReturn;
  });
  useEffect(() => {
    const onPageShow = (event: PageTransitionEvent) => {
      if (event.persisted) latestOnReturn.current();
    };
    addEventListener('pageshow', onPageShow);
    return () => removeEventListener('pageshow', onPageShow);
  }, []);
}
