const MAX_LENGTH = 254;
// One `@` with text on both sides, and a domain of at least two labels, none of them empty.
const SHAPE = /^[^@]+@[^@.]+(?:\.[^@.]+)+$/;
// White space and control characters are not allowed anywhere.
const FORBIDDEN_CHARACTERS = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Zs}]/u;

export type EmailError = 'email_missing' | 'email_invalid';

/** Checks the syntax of an address (specification section 5). The server validates again. */
export function checkEmail(input: string): EmailError | null {
  const email = input.trim();
  if (email === '') return 'email_missing';
  const valid =
    SHAPE.test(email) && !FORBIDDEN_CHARACTERS.test(email) && [...email].length <= MAX_LENGTH;
  return valid ? null : 'email_invalid';
}

/** Registration has one message for missing and invalid addresses. */
export function checkRegistrationEmail(input: string): 'email_invalid' | null {
  return checkEmail(input) && 'email_invalid';
}

/** The reset screen has the generic message for an empty field. */
export function checkResetEmail(input: string): 'missing_field' | 'email_invalid' | null {
  const error = checkEmail(input);
  return error === 'email_missing' ? 'missing_field' : error;
}

/** The migration screen has its own message for missing and invalid addresses. */
export function checkMigrationEmail(input: string): 'email_invalid_migration' | null {
  return checkEmail(input) && 'email_invalid_migration';
}
