import { type ErrorCode, isRefusal } from '../api/client';
import { INVISIBLE } from './visible-text';

/** Separators that users type between the groups of a code: spaces, hyphens, and the dashes that phones substitute. */
const SEPARATORS = /[\s\p{Dash_Punctuation}\u2212]/gu;
/** Six digits of an authenticator app, or a recovery code. */
const CODE = /^(?:\d{6}|[\da-z]{16})$/i;

/** A code without separators and invisible characters, and with ASCII digits for full-width ones. */
export const bareCode = (typed: string): string =>
  typed.normalize('NFKC').replace(SEPARATORS, '').replace(INVISIBLE, '');

/** Checks the form of a code, so that a typing error does not count as an attempt. */
export function checkCode(typed: string): ErrorCode | null {
  const code = bareCode(typed);
  if (code === '') return 'missing_field';
  return CODE.test(code) ? null : 'code_invalid';
}

/** The error of the field if the server refused the code; null for any other failure. */
export function refusedCode(failure: unknown): ErrorCode | null {
  const codes = ['code_invalid', 'code_reused'] as const;
  return codes.find((code) => isRefusal(failure, code)) ?? null;
}
