const LONGEST = 254;
// One `@` with something on both sides, and a dot in the domain with something on both sides of each.
const SHAPE = /^[^@]+@[^@.]+(?:\.[^@.]+)+$/;
// White space and control characters, wherever they stand.
const UNSPEAKABLE = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Zs}]/u;

export type EmailFault = 'email_missing' | 'email_invalid';

/** Whether mail can go there at all (specification section 5). The server has the last word. */
export function checkEmail(input: string): EmailFault | null {
  const email = input.trim();
  if (email === '') return 'email_missing';
  const valid = SHAPE.test(email) && !UNSPEAKABLE.test(email) && [...email].length <= LONGEST;
  return valid ? null : 'email_invalid';
}

/** Registration has one message for an address that is missing and one that is wrong. */
export function checkRegistrationEmail(input: string): 'email_invalid' | null {
  return checkEmail(input) && 'email_invalid';
}

/** The reset screen says of an empty field what it says of every empty field. */
export function checkResetEmail(input: string): 'missing_field' | 'email_invalid' | null {
  const fault = checkEmail(input);
  return fault === 'email_missing' ? 'missing_field' : fault;
}

/** The migration screen has one sentence of its own for both. */
export function checkMigrationEmail(input: string): 'email_invalid_migration' | null {
  return checkEmail(input) && 'email_invalid_migration';
}
