import { type ReactNode, useEffect } from 'react';
import { replayEarlyActions } from './forms/early';
import { forgetReload } from './reload';
import { setSessionPossible } from './session-hint';

/** Wraps a screen and marks it as hydrated when it is mounted. */
export function Mounted({ children }: { children: ReactNode }) {
  // Effects of children run first, so the forms have read the values typed before hydration.
  useEffect(() => {
    replayEarlyActions('screen');
    forgetReload();
    // The session hint is valid only for the first screen.
    setSessionPossible(true);
  }, []);
  return children;
}
