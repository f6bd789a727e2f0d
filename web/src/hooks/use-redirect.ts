import { useEffect } from 'react';
import { useLocation } from 'wouter';

/**
 * Navigates to `path` after `delay` milliseconds. If `path` is null, there is no redirect. The screen must announce the
 * redirect and offer a link.
 */
export function useRedirect(path: string | null, delay: number): void {
  const [, navigate] = useLocation();

  useEffect(() => {
    if (path === null) return;
    const timer = setTimeout(() => navigate(path), delay);
    return () => clearTimeout(timer);
  }, [path, delay, navigate]);
}
