import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ErrorCode } from '../api/client';
import { messageKey } from '../api/message';

/** Something wrong with a field: by a rule of ours, or in the words of the server. */
type FieldError = { code: ErrorCode } | { sentence: string };
export type FieldErrors = Readonly<Record<string, FieldError>>;

export interface Form<Values> {
  values: Values;
  errors: FieldErrors;
  ref: RefObject<HTMLFormElement | null>;
  /** Takes a new value, and the message off the field that `errorKey` names. */
  set: (name: keyof Values & string, value: string, errorKey?: string) => void;
  /** Shows what is wrong and goes to the first field that is. */
  showErrors: (errors: FieldErrors) => void;
  /** Takes over what the page's inputs hold, and returns it: browsers fill them in silently. */
  readPage: () => Values;
  /** Whether the box of that name is ticked on the page: what was ticked early is drawn a step later. */
  isTicked: (name: string) => boolean;
  /** The message beside a field, in the language of the page. */
  messageOf: (errorKey: string) => string | null;
  /** What a field of that name needs. */
  field: (name: keyof Values & string) => {
    name: string;
    value: string;
    onChange: (value: string) => void;
    error: string | null;
  };
}

/** The values of a form and what is wrong with them. */
export function useForm<Values extends Record<string, string>>(empty: Values): Form<Values> {
  const { t } = useTranslation();
  const ref = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState(empty);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [failures, setFailures] = useState(0);

  // Before anything is drawn again, which would empty the fields: a page that comes drawn may have
  // been filled in by now, and sent.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what stood there before us
  useLayoutEffect(() => {
    readPage();
  }, []);

  useEffect(() => {
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

/** The texts of the form by the names of `known`; what the page does not hold stays as it was. */
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

/** The codes of failed checks as errors; names whose check passed are left out. */
export function collectErrors(checks: Readonly<Record<string, ErrorCode | null>>): FieldErrors {
  const failed = Object.entries(checks).flatMap(([name, code]) => (code ? [[name, { code }]] : []));
  return Object.fromEntries(failed);
}

/** The first failed check alone, for forms that say one thing at a time. */
export function firstError(checks: Readonly<Record<string, ErrorCode | null>>): FieldErrors {
  const [first] = Object.entries(collectErrors(checks));
  return first ? Object.fromEntries([first]) : {};
}

/** The sentences of the server as errors. */
export function serverErrors(sentences: Readonly<Record<string, string>>): FieldErrors {
  return Object.fromEntries(
    Object.entries(sentences).map(([name, sentence]) => [name, { sentence: String(sentence) }]),
  );
}
