import type { TextKey } from '../i18n/texts';

/**
 * Returns the history state of a started sign-in. After a reload, which ends the sign-in, the form is filled in with the
 * email address and says why it is there. No token is stored.
 */
export function interruptedSignIn(email: string) {
  const text: TextKey = 'sign_in.session_lost';
  return { ...history.state, email, notice: { text, neutral: true } };
}
