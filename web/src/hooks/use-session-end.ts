import { useLocation } from 'wouter';
import { ApiFailure } from '../api/client';
import { setSessionPossible } from '../browser/session-hint';

/**
 * Returns a function that redirects to the sign-in if an error has one of the statuses, and returns whether it had one.
 * The sign-in returns to this screen, whose path is in the history state, which no crafted URL can set.
 */
export function useSessionEnd(statuses: readonly number[] = [401]): (failure: unknown) => boolean {
  const [, navigate] = useLocation();
  return (failure) => {
    if (!(failure instanceof ApiFailure && statuses.includes(failure.status))) return false;
    setSessionPossible(false);
    const page = location.pathname + location.search;
    navigate('/', { replace: true, state: { page } });
    return true;
  };
}
