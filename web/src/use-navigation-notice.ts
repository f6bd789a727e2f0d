import { useLayoutEffect, useState } from 'react';

/** The notices that a navigation can pass on in the history state. */
type Notice = 'signedOut' | 'disowned';

/**
 * Whether the navigation to this screen has passed on the notice. The notice is removed from the history state, so that
 * a reload or a return does not repeat it. False in the first render, as in the prerendered page.
 */
export function useNavigationNotice(name: Notice): boolean {
  const [given, setGiven] = useState(false);
  useLayoutEffect(() => {
    const { [name]: notice, ...state } = history.state ?? {};
    if (notice !== true) return;
    setGiven(true);
    history.replaceState(state, '');
  }, [name]);
  return given;
}
