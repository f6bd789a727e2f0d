// Specification section 5: text, at sign, text, dot, text, and no white space.
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
// Passwords of this length or shorter are never sent.
const UNSENT_LENGTH = 3;

/** The first look before a sign-in is sent. Whatever is wrong, the answer is the same. */
export function checkSignIn(email: string, password: string): 'invalid_credentials' | null {
  const plausible =
    ADDRESS.test(email.trim()) && password.trim() !== '' && password.length > UNSENT_LENGTH;
  return plausible ? null : 'invalid_credentials';
}
