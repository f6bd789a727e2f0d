import type { ErrorCode } from '../api/client';

/** An error of a field: a code of the client-side validation, or a message of the server. */
type FieldError = { code: ErrorCode } | { sentence: string };
export type FieldErrors = Readonly<Record<string, FieldError>>;

/** Converts the results of checks to field errors. Omits passed checks. */
export function collectErrors(checks: Readonly<Record<string, ErrorCode | null>>): FieldErrors {
  const errors = Object.entries(checks).flatMap(([name, code]) => (code ? [[name, { code }]] : []));
  return Object.fromEntries(errors);
}

/** Returns only the first field error, for forms that show one error at a time. */
export function firstError(checks: Readonly<Record<string, ErrorCode | null>>): FieldErrors {
  return Object.fromEntries(Object.entries(collectErrors(checks)).slice(0, 1));
}

/** Converts the server's field messages to field errors. */
export function serverErrors(sentences: Readonly<Record<string, string>>): FieldErrors {
  return Object.fromEntries(
    Object.entries(sentences).map(([name, sentence]) => [name, { sentence: String(sentence) }]),
  );
}
