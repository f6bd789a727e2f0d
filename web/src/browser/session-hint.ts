/**
 * Whether a session may exist. The boot block states whether the HTTP request for the page had a session cookie; a
 * sign-out and a 401 also set the hint. The hint is valid only for the next screen, because another tab may sign in.
 */
let possible = true;
let presentAtLoad = true;

/** Stores whether the HTTP request for the page had a session cookie. */
export function startSessionHint(present: boolean): void {
  possible = present;
  presentAtLoad = present;
}

/** Returns whether the HTTP request for the page had a session cookie. */
export const hadSessionAtLoad = (): boolean => presentAtLoad;

export function isSessionPossible(): boolean {
  return possible;
}

export function setSessionPossible(now: boolean): void {
  possible = now;
}
