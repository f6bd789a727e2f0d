const MAX_LENGTH = 254;
// One `@` with something on both sides, and a dot in the domain with something on both sides of each.
const SHAPE = /^[^@]+@[^@.]+(?:\.[^@.]+)+$/;
// White space and control characters, wherever they stand.
const FORBIDDEN_CHARACTERS = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Zs}]/u;

export type EmailError = 'email_missing' | 'email_invalid';

/** Whether mail can go there at all (specification section 5). The server has the last word. */
export function checkEmail(input: string): EmailError | null {
  const email = input.trim();
  if (email === '') return 'email_missing';
  const valid =
    SHAPE.test(email) && !FORBIDDEN_CHARACTERS.test(email) && [...email].length <= MAX_LENGTH;
  return valid ? null : 'email_invalid';
}

/** Registration has one message for an address that is missing and one that is wrong. */
export function checkRegistrationEmail(input: string): 'email_invalid' | null {
  return checkEmail(input) && 'email_invalid';
}

/** The reset screen says of an empty field what it says of every empty field. */
export function checkResetEmail(input: string): 'missing_field' | 'email_invalid' | null {
  const error = checkEmail(input);
  return error === 'email_missing' ? 'missing_field' : error;
}

/** The migration screen has one sentence of its own for both. */
export function checkMigrationEmail(input: string): 'email_invalid_migration' | null {
  return checkEmail(input) && 'email_invalid_migration';
}
