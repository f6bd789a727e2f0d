import { trimText } from './visible-text';

// A simple pattern is sufficient and keeps the script small, because the server applies the rule of email addresses.
const EMAIL = /^[^\s@]+@[^\s@_]+\.[^\s@_]+$/;
// Shorter passwords are never sent, because no account has such a password.
const UNSENT_LENGTH = 3;

/** Rejects implausible credentials before the request, with the same error as the server. */
export function checkSignIn(email: string, password: string): 'invalid_credentials' | null {
  const plausible =
    EMAIL.test(trimText(email)) && password.trim() !== '' && password.length > UNSENT_LENGTH;
  return plausible ? null : 'invalid_credentials';
}
