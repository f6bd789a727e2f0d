/**
 * Whether a session may exist. Initially this is whether the request for the page had a session cookie; a sign-out and
 * a 401 response change it to false. Only the next screen uses it, because another tab may sign in later.
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
