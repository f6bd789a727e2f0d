import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { ErrorCode } from '../api/client';
import { messageKey } from '../api/message';
import { useTranslation } from '../i18n/use-translation';

/** An error of a field: a code of the client-side validation, or a message of the server. */
type FieldError = { code: ErrorCode } | { sentence: string };
export type FieldErrors = Readonly<Record<string, FieldError>>;

export interface Form<Values> {
  values: Values;
  errors: FieldErrors;
  ref: RefObject<HTMLFormElement | null>;
  /** Sets a value and clears the error `errorKey`. */
  set: (name: keyof Values & string, value: string, errorKey?: string) => void;
  /** Shows the errors and focuses the first invalid field. An empty record clears the errors. */
  showErrors: (errors: FieldErrors) => void;
  /** Copies the values of the DOM inputs into the state and returns them, because autofill may not fire events. */
  readPage: () => Values;
  /** Whether the checkbox is checked in the DOM. After hydration the state follows one render later. */
  isTicked: (name: string) => boolean;
  /** The error message of a field, in the language of the page. */
  messageOf: (errorKey: string) => string | null;
  /** The props of the field `name`. */
  field: (name: keyof Values & string) => {
    name: string;
    value: string;
    onChange: (value: string) => void;
    error: string | null;
  };
}

/** The values and errors of a form. */
export function useForm<Values extends Record<string, string>>(empty: Values): Form<Values> {
  const { t } = useTranslation();
  const ref = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState(empty);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [failures, setFailures] = useState(0);

  // A layout effect, because the next render would clear fields that were filled in before hydration.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what stood there before us
  useLayoutEffect(() => {
    readPage();
  }, []);

  // With the message, not after the next paint: keys that follow at once belong to the invalid field.
  useLayoutEffect(() => {
    if (failures > 0) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failures]);

  function set(name: keyof Values & string, value: string, errorKey: string = name) {
    setValues((before) => ({ ...before, [name]: value }));
    setErrors(({ [errorKey]: _mended, ...others }) => others);
  }

  function showErrors(next: FieldErrors) {
    setErrors(next);
    setFailures((number) => number + 1);
  }

  function readPage(): Values {
    const found = ref.current ? textsOf(new FormData(ref.current), values) : values;
    setValues((before) => (isSame(before, found) ? before : found));
    return found;
  }

  function isTicked(name: string): boolean {
    return ref.current !== null && new FormData(ref.current).has(name);
  }

  function messageOf(errorKey: string): string | null {
    const error = errors[errorKey];
    if (!error) return null;
    return 'code' in error ? t(messageKey(error.code)) : error.sentence;
  }

  return {
    values,
    errors,
    ref,
    set,
    showErrors,
    readPage,
    isTicked,
    messageOf,
    field: (name) => ({
      name,
      value: values[name] ?? '',
      onChange: (value) => set(name, value),
      error: messageOf(name),
    }),
  };
}

/** The text values of the form for the names of `known`. Names that are not in the form keep their value. */
function textsOf<Values extends Record<string, string>>(page: FormData, known: Values): Values {
  const texts = Object.keys(known).flatMap((name) => {
    const text = page.get(name);
    return typeof text === 'string' ? [[name, text]] : [];
  });
  return { ...known, ...Object.fromEntries(texts) };
}

function isSame<Values extends Record<string, string>>(one: Values, other: Values): boolean {
  return Object.keys(one).every((name) => one[name] === other[name]);
}

/** Converts check results to field errors. Omits passed checks. */
export function collectErrors(checks: Readonly<Record<string, ErrorCode | null>>): FieldErrors {
  const failed = Object.entries(checks).flatMap(([name, code]) => (code ? [[name, { code }]] : []));
  return Object.fromEntries(failed);
}

/** The first failed check only, for forms that show one error at a time. */
export function firstError(checks: Readonly<Record<string, ErrorCode | null>>): FieldErrors {
  const [first] = Object.entries(collectErrors(checks));
  return first ? Object.fromEntries([first]) : {};
}

/** Converts the server's field messages to field errors. */
export function serverErrors(sentences: Readonly<Record<string, string>>): FieldErrors {
  return Object.fromEntries(
    Object.entries(sentences).map(([name, sentence]) => [name, { sentence: String(sentence) }]),
  );
}
