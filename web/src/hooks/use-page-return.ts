import { useEffect, useEffectEvent } from 'react';

/** Calls `onReturn` if the page is restored from the back/forward cache, because the session may have ended. */
export function usePageReturn(onReturn: () => void): void {
  const onPageShow = useEffectEvent((event: PageTransitionEvent) => {
    if (event.persisted) onReturn();
  });
  useEffect(() => {
    addEventListener('pageshow', onPageShow);
    return () => removeEventListener('pageshow', onPageShow);
  }, []);
}
