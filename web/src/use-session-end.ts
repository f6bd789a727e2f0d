import { useCallback } from 'react';
import { useLocation } from 'wouter';
import { ApiFailure } from './api/client';

/** Redirects to the sign-in after a 401, and returns whether the error was a 401. */
export function useSessionEnd(): (failure: unknown) => boolean {
  const [, navigate] = useLocation();
  return useCallback(
    (failure) => {
      if (!(failure instanceof ApiFailure && failure.status === 401)) return false;
      navigate('/', { replace: true });
      return true;
    },
    [navigate],
  );
}
