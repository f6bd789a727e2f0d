/**
 * Whether a session may exist: initially whether the request for the page had a session cookie; false after a sign-out
 * or a 401 response. Only the next screen uses this value, because another tab may sign in later.
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
