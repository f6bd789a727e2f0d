import { type TextKey, t } from '../i18n/texts';
import {
  ApiFailure,
  BrowserFailure,
  type ErrorCode,
  isRefusal,
  OutOfDate,
  Unreachable,
} from './client';

const SECONDS_PER_MINUTE = 60;

/** Returns the translation key of an error code. An error code without a message in locales/*.json does not compile. */
export function messageKey(code: ErrorCode): `error.${ErrorCode}` {
  return `error.${code}`;
}

/**
 * Returns the message for a failed request as plain text: the message of the server, the message for the browser's
 * error, or `fallback`. `wait` is the message of a rate limit, with the number of minutes.
 */
export function errorMessageOf(
  failure: unknown,
  fallback: string,
  wait: TextKey = 'answer.wait_minutes',
): string {
  if (failure instanceof BrowserFailure) return t(failure.text);
  // The message is translated already.
  if (failure instanceof OutOfDate) return failure.message;
  if (failure instanceof Unreachable) return t('common.unreachable');
  // The failure is an exception of a script of this page, or of a browser extension.
  if (!(failure instanceof ApiFailure)) return fallback || t('error.internal');
  const seconds = waitingSecondsOf(failure);
  if (seconds !== null) {
    const count = Math.max(1, Math.ceil(seconds / SECONDS_PER_MINUTE));
    return t(wait, { count });
  }
  const detail = failure.refusal?.detail;
  if (typeof detail === 'string') return detail || fallback;
  if (detail && 'error' in detail && typeof detail.error === 'string') return detail.error;
  return fallback;
}

/** Returns the seconds until the rate limit allows the next attempt, or null if the failure is another error. */
export const waitingSecondsOf = (failure: unknown): number | null =>
  isRefusal(failure, 'rate_limited') ? failure.retryAfter : null;

/** Returns whether the error response has a general message (`detail.error`), which concerns no single field. */
export function hasServerMessage(failure: unknown): boolean {
  const detail = failure instanceof ApiFailure ? failure.refusal?.detail : null;
  return Boolean(detail && typeof detail === 'object' && 'error' in detail);
}

/** Returns the messages of single fields by the field names of the API, or null if there are none. */
export function fieldMessages(failure: unknown): Record<string, string> | null {
  const detail = failure instanceof ApiFailure ? failure.refusal?.detail : null;
  const fields = detail && typeof detail === 'object' && 'fields' in detail ? detail.fields : {};
  return Object.keys(fields).length > 0 ? fields : null;
}

/** Logs a failure to the console, without user input. Returns null for callers that continue without the data. */
export function logFailure(failure: unknown): null {
  console.error(failure instanceof Error ? failure.message : String(failure));
  return null;
}
