import { useLocation } from 'wouter';
import { ApiFailure } from './api/client';
import { setSessionPossible } from './session-hint';

/** Redirects to the sign-in after an error with one of the statuses, and returns whether it was one. */
export function useSessionEnd(statuses: readonly number[] = [401]): (failure: unknown) => boolean {
  const [, navigate] = useLocation();
  return (failure) => {
    if (!(failure instanceof ApiFailure && statuses.includes(failure.status))) return false;
    setSessionPossible(false);
    navigate('/', { replace: true });
    return true;
  };
}
