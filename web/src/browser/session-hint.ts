/**
 * Whether a session may exist. The boot block contains whether the page request had a session cookie; a sign-out and
 * a 401 also set the hint. It is valid only for the next screen, because another tab may sign in later.
 */
let possible = true;

export function isSessionPossible(): boolean {
  return possible;
}

export function setSessionPossible(now: boolean): void {
  possible = now;
}
