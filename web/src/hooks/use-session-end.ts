import { useLocation } from 'wouter';
import { ApiFailure } from '../api/client';
import { hadSessionAtLoad, setSessionPossible } from '../browser/session-hint';

/**
 * Returns a function that redirects to the sign-in screen and returns true if an error has one of the statuses. The
 * history state has the path to which the user returns afterwards, because a crafted URL cannot set that state.
 */
export function useSessionEnd(statuses: readonly number[] = [401]): (failure: unknown) => boolean {
  const [, navigate] = useLocation();
  return (failure) => {
    if (!(failure instanceof ApiFailure && statuses.includes(failure.status))) return false;
    const page = location.pathname + location.search;
    const text = hadSessionAtLoad() ? 'sign_in.session_ended' : 'sign_in.session_needed';
    // A notice of the previous screen, such as a changed email address, says more.
    const { notice = { text, neutral: true } } = history.state ?? {};
    navigate('/', { replace: true, state: { page, notice } });
    setSessionPossible(false);
    return true;
  };
}
