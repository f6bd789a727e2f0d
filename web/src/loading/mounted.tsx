import { type ReactNode, useEffect } from 'react';
import { setSessionPossible } from '../browser/session-hint';
import { replayEarlyActions } from '../forms/early';

/** Wraps a screen. When the screen is mounted, replays the clicks and the submit that happened before. */
export function Mounted({ children }: { children: ReactNode }) {
  // React runs the effects of children first, so the forms have already read the values typed before hydration.
  useEffect(() => {
    replayEarlyActions('screen');
    // Whether the page was requested with a session cookie is relevant only for the first screen.
    setSessionPossible(true);
  }, []);
  return children;
}
