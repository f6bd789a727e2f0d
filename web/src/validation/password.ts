/** The minimum length in characters for registration, password reset and password change. */
export const MIN_LENGTH = 6;
/** The minimum length in characters for the migration of a legacy account. */
export const MIN_LENGTH_IN_MIGRATION = 8;
const MAX_LENGTH = 128;

type PasswordError =
  | 'password_too_short'
  | 'password_uppercase'
  | 'password_lowercase'
  | 'password_digit'
  | 'password_too_long';

/** Returns the number of Unicode scalar values after normalization to NFC, as the server counts. */
function lengthOf(password: string): number {
  return [...password.normalize('NFC')].length;
}

/** The password rules that the forms show as a checklist. */
export const passwordRules = {
  uppercase: (password: string) => /\p{Lu}/u.test(password),
  lowercase: (password: string) => /\p{Ll}/u.test(password),
  digit: (password: string) => /[0-9]/.test(password),
  length: (password: string, minLength: number) => lengthOf(password) >= minLength,
} as const;

/** Returns the error code of the first rule that a new password breaks, or null. */
export function checkPassword(password: string): PasswordError | null {
  if (!passwordRules.length(password, MIN_LENGTH)) return 'password_too_short';
  if (!passwordRules.uppercase(password)) return 'password_uppercase';
  if (!passwordRules.lowercase(password)) return 'password_lowercase';
  if (!passwordRules.digit(password)) return 'password_digit';
  return lengthOf(password) > MAX_LENGTH ? 'password_too_long' : null;
}

/** Checks a new password after a reset or in the settings, where an empty password has its own error. */
export function checkNewPassword(password: string): PasswordError | 'password_missing' | null {
  return password === '' ? 'password_missing' : checkPassword(password);
}

/** Checks the password for a migration without further data, for which only the length matters. */
export function checkMigrationPassword(
  password: string,
): 'password_too_short_migration' | 'password_too_long' | null {
  if (!passwordRules.length(password, MIN_LENGTH_IN_MIGRATION))
    return 'password_too_short_migration';
  return lengthOf(password) > MAX_LENGTH ? 'password_too_long' : null;
}

/** Checks the password in the full completion form, which has one message for all rules except the maximum length. */
export function checkCompletionPassword(
  password: string,
): 'password_criteria' | 'password_too_long' | null {
  const { length, uppercase, lowercase, digit } = passwordRules;
  const meets = uppercase(password) && lowercase(password) && digit(password);
  if (!meets || !length(password, MIN_LENGTH_IN_MIGRATION)) return 'password_criteria';
  return lengthOf(password) > MAX_LENGTH ? 'password_too_long' : null;
}

/** Compares a password with its confirmation after normalization to NFC, as the server does. */
export function checkConfirmation(
  password: string,
  confirmation: string,
): 'passwords_differ' | null {
  return password.normalize('NFC') === confirmation.normalize('NFC') ? null : 'passwords_differ';
}
