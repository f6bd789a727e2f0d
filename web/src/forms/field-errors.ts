import type { ErrorCode } from '../api/client';

/** An error of a field: an error code of the client-side validation, or a message of the server. */
type FieldError = { code: ErrorCode } | { sentence: string };
export type FieldErrors = Readonly<Record<string, FieldError>>;

/** Converts the results of the validation to field errors. A result of null is no error. */
export function collectErrors(checks: Readonly<Record<string, ErrorCode | null>>): FieldErrors {
  const errors = Object.entries(checks).flatMap(([name, code]) => (code ? [[name, { code }]] : []));
  return Object.fromEntries(errors);
}

/** Returns at most one field error, the first, for forms that show one error at a time. */
export function firstError(checks: Readonly<Record<string, ErrorCode | null>>): FieldErrors {
  return Object.fromEntries(Object.entries(collectErrors(checks)).slice(0, 1));
}

/** Converts the messages that the server has returned for single fields to field errors. */
export function serverErrors(sentences: Readonly<Record<string, string>>): FieldErrors {
  return Object.fromEntries(
    Object.entries(sentences).map(([name, sentence]) => [name, { sentence: String(sentence) }]),
  );
}
