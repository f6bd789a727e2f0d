import { type ErrorCode, isRefusal } from '../api/client';
import type { FieldErrors } from '../forms/field-errors';
import { t } from '../i18n/texts';
import { INVISIBLE_CHARACTERS, unifySeparators } from './visible-text';

const APP_CODE_LENGTH = 6;
/** A second-factor code: six digits of an authenticator app, or a recovery code of 16 letters and digits. */
const CODE = /^(?:\d{6}|[\da-z]{16})$/i;

/** Removes separators, invisible characters and the number in a list (`2)`) from a typed code. */
export const normalizeCode = (typed: string): string =>
  unifySeparators(typed)
    .replace(/[\s-]/g, '')
    .replace(INVISIBLE_CHARACTERS, '')
    .replace(/^\d{1,2}[.):]/, '');

/** Checks the format of a second-factor code, so that a typing error does not count as an attempt. */
export function checkCode(typed: string): ErrorCode | null {
  const code = normalizeCode(typed);
  if (code === '') return 'missing_field';
  return CODE.test(code) ? null : 'code_invalid';
}

/** Returns the field error if the server has refused the second-factor code, or null for another failure. */
export function refusedCode(failure: unknown): ErrorCode | null {
  const codes = ['code_invalid', 'code_reused'] as const;
  return codes.find((code) => isRefusal(failure, code)) ?? null;
}

/** Like `refusedCode`, for a field that also accepts recovery codes. `typed` is the code that was sent. */
export function refusedCodeError(failure: unknown, typed: string): FieldErrors[string] | null {
  const code = refusedCode(failure);
  const isRecoveryCode = normalizeCode(typed).length > APP_CODE_LENGTH;
  // The server does not distinguish a wrong recovery code from a used one.
  return code === 'code_invalid' && isRecoveryCode
    ? { sentence: t('sign_in.recovery_refused') }
    : code && { code };
}
