const MAX_LENGTH = 32;

export type UsernameError = 'missing_field' | 'username_characters' | 'username_too_long';

/** A username consists of 1 to 32 ASCII letters and digits. */
export function checkUsername(input: string): UsernameError | null {
  if (input === '') return 'missing_field';
  if (!/^[A-Za-z0-9]+$/.test(input)) return 'username_characters';
  return input.length > MAX_LENGTH ? 'username_too_long' : null;
}
