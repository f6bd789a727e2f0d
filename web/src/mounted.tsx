import { type ReactNode, useEffect } from 'react';
import { replayEarlyActions } from './forms/early';
import { forgetReload } from './reload';
import { setSessionPossible } from './session-hint';

/** Around a screen: it answers from now on. */
export function Mounted({ children }: { children: ReactNode }) {
  // After the effects of the screen itself, in which its forms take over what was typed early.
  useEffect(() => {
    replayEarlyActions('screen');
    forgetReload();
    // What was known of the session when the screen opened is too old for the next one.
    setSessionPossible(true);
  }, []);
  return children;
}
