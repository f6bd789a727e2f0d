import { t } from '../i18n/texts';
import { ApiFailure, BrowserFailure, type ErrorCode, isRefusal, Unreachable } from './client';

const SECONDS_PER_MINUTE = 60;

/** The translation key of an error code. A code without a message in locales/*.json does not compile. */
export function messageKey(code: ErrorCode): `error.${ErrorCode}` {
  return `error.${code}`;
}

/**
 * The message for a failed request: the server's, in the language of the request; the browser's; or `fallback`. Plain
 * text, never markup.
 */
export function errorMessageOf(failure: unknown, fallback: string): string {
  if (failure instanceof BrowserFailure) return t(failure.text);
  if (failure instanceof Unreachable) return t('common.unreachable');
  // An exception of this page or of an extension.
  if (!(failure instanceof ApiFailure)) return fallback || t('error.internal');
  if (isRefusal(failure, 'rate_limited') && failure.retryAfter !== null) {
    const count = Math.max(1, Math.ceil(failure.retryAfter / SECONDS_PER_MINUTE));
    return t('answer.wait_minutes', { count });
  }
  const detail = failure.refusal?.detail;
  if (typeof detail === 'string') return detail || fallback;
  if (detail && 'error' in detail && typeof detail.error === 'string') return detail.error;
  return fallback;
}

/** Whether the response has a general message in `detail.error`. */
export function hasServerMessage(failure: unknown): boolean {
  const detail = failure instanceof ApiFailure ? failure.refusal?.detail : null;
  return Boolean(detail && typeof detail === 'object' && 'error' in detail);
}

/** The messages of single fields by the names that the API gives the fields, or null. */
export function fieldMessages(failure: unknown): Record<string, string> | null {
  const detail = failure instanceof ApiFailure ? failure.refusal?.detail : null;
  return detail && typeof detail === 'object' && 'fields' in detail ? detail.fields : null;
}

/** Logs a failure to the console, without user input. */
export function report(failure: unknown): void {
  console.error(failure instanceof Error ? failure.message : String(failure));
}
