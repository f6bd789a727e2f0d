import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/**
 * Navigates to `path` after `delay` milliseconds, or never if `path` is null. The screen must announce the redirect and
 * have a link to `path`. `state` becomes the history state of the next screen.
 */
export function useRedirect(path: string | null, delay: number, state?: object): void {
  const [, navigate] = useLocation();
  const latest = useRef(state);
  useEffect(() => {
    latest.current = state;
  });

  useEffect(() => {
    if (path === null) return;
    const timer = setTimeout(() => navigate(path, { state: latest.current }), delay);
    return () => clearTimeout(timer);
  }, [path, delay, navigate]);
}
