import i18next from 'i18next';
import { ApiFailure, type ErrorCode, isRefusal } from './client';

const SECONDS_A_MINUTE = 60;

/** A code that has no words would not compile here: `error` in locales/*.json has one key for each. */
export function messageKey(code: ErrorCode): `error.${ErrorCode}` {
  return `error.${code}`;
}

/**
 * What a person gets to read about a failed request: the sentence of the server, which is in their
 * language already, or else `fallback`. Never markup: it is rendered as text.
 */
export function errorMessageOf(failure: unknown, fallback: string): string {
  if (!(failure instanceof ApiFailure)) return i18next.t('common.unreachable');
  if (isRefusal(failure, 'rate_limited') && failure.retryAfter !== null) {
    const count = Math.max(1, Math.ceil(failure.retryAfter / SECONDS_A_MINUTE));
    return i18next.t('common.wait_minutes', { count });
  }
  const detail = failure.refusal?.detail;
  if (typeof detail === 'string') return detail || fallback;
  if (detail && 'error' in detail && typeof detail.error === 'string') return detail.error;
  return fallback;
}

/** Whether the server gave a general sentence of its own (specification section 8, `detail.error`). */
export function hasServerMessage(failure: unknown): boolean {
  const detail = failure instanceof ApiFailure ? failure.refusal?.detail : null;
  return Boolean(detail && typeof detail === 'object' && 'error' in detail);
}

/** The sentences of single fields, by the field keys of contract 2; null where there are none. */
export function fieldMessages(failure: unknown): Record<string, string> | null {
  const detail = failure instanceof ApiFailure ? failure.refusal?.detail : null;
  return detail && typeof detail === 'object' && 'fields' in detail ? detail.fields : null;
}

/** Failures are for the console as well, without anything that was typed. */
export function report(failure: unknown): void {
  console.error(failure instanceof Error ? failure.message : String(failure));
}
