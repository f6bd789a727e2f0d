import { checkEmail } from './email';

// Passwords up to this length are never sent.
const UNSENT_LENGTH = 3;

/** Rejects implausible credentials before the request, with the same error as the server. */
export function checkSignIn(email: string, password: string): 'invalid_credentials' | null {
  const plausible =
    checkEmail(email) === null && password.trim() !== '' && password.length > UNSENT_LENGTH;
  return plausible ? null : 'invalid_credentials';
}
