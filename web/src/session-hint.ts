/**
 * Whether a session is possible at all. The server says so with the page, which it writes for a request that
 * carried a session cookie or none; a sign-out and a refused call say so, too. It counts for the screen that opens
 * next and not for later ones: another tab may have signed in by then.
 */
let possible = true;

export function isSessionPossible(): boolean {
  return possible;
}

export function setSessionPossible(now: boolean): void {
  possible = now;
}
