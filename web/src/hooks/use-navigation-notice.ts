import { useLayoutEffect, useState } from 'react';

/** The notices that a navigation can pass to the next screen in the history state. */
type Notice = 'signedOut' | 'disowned' | 'verified';

/** The query parameters by which the server passes a notice to the screen. */
const PARAMETERS: Readonly<Partial<Record<Notice, string>>> = { signedOut: 'signed_out' };

/**
 * Returns whether the navigation to this screen has passed the notice. The notice is removed from the history state and
 * the URL, so that a reload or a return does not repeat it. The first render returns false, as in the prerendered page.
 */
export function useNavigationNotice(name: Notice): boolean {
  const [isPassedOn, setIsPassedOn] = useState(false);
  useLayoutEffect(() => {
    const { [name]: notice, ...state } = history.state ?? {};
    const address = new URL(location.href);
    const parameter = PARAMETERS[name] ?? '';
    if (notice !== true && !address.searchParams.has(parameter)) return;
    setIsPassedOn(true);
    address.searchParams.delete(parameter);
    history.replaceState(state, '', address);
  }, [name]);
  return isPassedOn;
}
