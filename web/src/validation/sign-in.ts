import { trimText } from './visible-text';

// The pattern is simple to keep the script small. The server applies the complete rule for email addresses.
const EMAIL = /^[^\s@]+@[^\s@_]+\.[^\s@_]+$/;
// A password of at most this length is not sent, because no account can have such a password.
const UNSENT_LENGTH = 3;

/** Rejects impossible credentials without a request, with the same error code as the server. */
export function checkSignIn(email: string, password: string): 'invalid_credentials' | null {
  const plausible =
    EMAIL.test(trimText(email)) && password.trim() !== '' && password.length > UNSENT_LENGTH;
  return plausible ? null : 'invalid_credentials';
}
