import { trimText } from './visible-text';

// The simple pattern keeps the script small. The server applies the complete rule for email addresses.
const EMAIL = /^[^\s@]+@[^\s@_]+\.[^\s@_]+$/;
// Passwords up to this length are never sent, because no account has such a password.
const UNSENT_LENGTH = 3;

/** Rejects implausible credentials before the request, with the same error as the server. */
export function checkSignIn(email: string, password: string): 'invalid_credentials' | null {
  const plausible =
    EMAIL.test(trimText(email)) && password.trim() !== '' && password.length > UNSENT_LENGTH;
  return plausible ? null : 'invalid_credentials';
}
