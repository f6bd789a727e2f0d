import { useEffect, useEffectEvent } from 'react';

/**
 * Calls `onReturn` if the page may be older than the visit, because a session may have begun or ended since: the browser
 * has restored the page from the back/forward cache, or has prefetched or prerendered the page.
 */
export function usePageReturn(onReturn: () => void): void {
  const onPageShow = useEffectEvent((event: PageTransitionEvent) => {
    if (event.persisted) onReturn();
  });
  const onVisit = useEffectEvent(onReturn);
  useEffect(() => {
    const [load] = performance.getEntriesByType('navigation') as NavigationTiming[];
    if (document.prerendering) document.addEventListener('prerenderingchange', onVisit);
    else if (load?.activationStart || load?.deliveryType === 'navigational-prefetch') onVisit();
    addEventListener('pageshow', onPageShow);
    return () => removeEventListener('pageshow', onPageShow);
  }, []);
}

declare global {
  interface Document {
    /** Absent in browsers that prerender no pages (Prerendering Revamped). */
    prerendering?: boolean;
  }
}

/** The members of Prerendering Revamped and of Resource Timing that are not in all browsers. */
interface NavigationTiming extends PerformanceNavigationTiming {
  activationStart?: number;
  deliveryType?: string;
}
