import { useEffect, useEffectEvent } from 'react';
import { useLocation } from 'wouter';

/**
 * Navigates to `path` after `delay` milliseconds. If `path` is null, there is no redirect. The screen must announce the
 * redirect and offer a link. `state` is the history state of the next screen, which replaces this screen in the history,
 * because the Back button would otherwise lead to this screen and to the redirect again.
 */
export function useRedirect(path: string | null, delay: number, state?: object): void {
  const [, navigate] = useLocation();
  const redirect = useEffectEvent((to: string) => navigate(to, { replace: true, state }));

  useEffect(() => {
    if (path === null) return;
    const timer = setTimeout(() => redirect(path), delay);
    return () => clearTimeout(timer);
  }, [path, delay]);
}
