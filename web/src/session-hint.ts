/**
 * Whether a session is possible at all. The server says so with the page, which it writes for a
 * request that carried a session cookie or none: without one there is nothing to ask for. Where
 * nobody has said anything, one is possible.
 */
let possible = true;

export function isSessionPossible(): boolean {
  return possible;
}

export function setSessionPossible(now: boolean): void {
  possible = now;
}
