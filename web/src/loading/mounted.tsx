import { type ReactNode, useEffect } from 'react';
import { setSessionPossible } from '../browser/session-hint';
import { replayEarlyActions } from '../forms/early';
import { forgetReload } from './reload';

/** Wraps a screen and marks it as hydrated when it is mounted. */
export function Mounted({ children }: { children: ReactNode }) {
  // Effects of children run earlier than this effect, so the forms have read the values typed before hydration.
  useEffect(() => {
    replayEarlyActions('screen');
    forgetReload();
    // The session hint is valid only for the first screen.
    setSessionPossible(true);
  }, []);
  return children;
}
