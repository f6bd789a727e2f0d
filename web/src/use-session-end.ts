import { useCallback } from 'react';
import { useLocation } from 'wouter';
import { ApiFailure } from './api/client';

/** Sends somebody whose session has ended to the sign-in, and says whether that was it. */
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
