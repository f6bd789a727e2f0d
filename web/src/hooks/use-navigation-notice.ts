import { useLayoutEffect, useState } from 'react';

/** The notices that a navigation can pass to the next screen in the history state. */
interface Notices {
  signedOut: true;
  disowned: true;
  verified: true;
  /** The username of a migrated account. */
  movedAs: string;
}

/** The query parameters by which the server passes a notice to the screen. */
const PARAMETERS: Readonly<Partial<Record<keyof Notices, string>>> = { signedOut: 'signed_out' };

/**
 * Returns the notice if the navigation to this screen has passed it. The notice is removed from the history state and
 * the URL, so that a reload or a return does not repeat it. The first render returns null, as in the prerendered page.
 */
export function useNavigationNotice<Name extends keyof Notices>(name: Name): Notices[Name] | null {
  const [passedOn, setPassedOn] = useState<Notices[Name] | null>(null);
  useLayoutEffect(() => {
    const { [name]: notice, ...state } = history.state ?? {};
    const address = new URL(location.href);
    const parameter = PARAMETERS[name] ?? '';
    if (notice === undefined && !address.searchParams.has(parameter)) return;
    setPassedOn(notice ?? true);
    address.searchParams.delete(parameter);
    history.replaceState(state, '', address);
  }, [name]);
  return passedOn;
}
