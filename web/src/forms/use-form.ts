import { type FormEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { ApiFailure, type ErrorCode } from '../api/client';
import { errorMessageOf, messageKey } from '../api/message';
import { useTranslation } from '../i18n/use-translation';
import type { FieldErrors } from './field-errors';
import { type FailureHandler, type Sending, useRequest } from './use-request';

/** The names of errors that concern several fields together. */
type SharedError = 'birthday';

type Texts = Readonly<Record<string, string>>;

export interface FormOptions<Values extends Texts, Result> {
  /** The initial values of the text fields, by field name. */
  fields: Values;
  /** Returns the errors of the fields. The form is sent only if there are no errors. */
  check: (values: Values) => FieldErrors;
  /** Sends the request. `page` contains all values of the form, including the ticked checkboxes. */
  send: (values: Values, page: FormData) => Promise<Result>;
  onDone: (result: Result, values: Values) => void;
  /** The error codes of the server that are shown at a field, and the name of that field. */
  refusals?: Partial<Record<ErrorCode, keyof Values & string>>;
  /** Returns true for a failure that the function has handled, so that the form shows no error. */
  onFailure?: FailureHandler;
  /** Called first at each submit, to remove the messages of the previous submit. */
  onSubmit?: () => void;
  /** Whether the form has an error summary, which announces the field errors instead of the fields. */
  summary?: boolean;
}

/** The props of a field whose text is in the DOM and not in React state (an uncontrolled input). */
export interface FieldProps {
  name: string;
  defaultValue?: string | undefined;
  error?: string | null | undefined;
  /** Whether the field announces its error. Screen readers do not read the error if the field already has the focus. */
  announceError?: boolean | undefined;
  onInput?: () => void;
}

export interface Form<Values extends Texts> extends Sending {
  props: {
    method: 'post';
    noValidate: true;
    onSubmit: (event: FormEvent<HTMLFormElement>) => void;
    ref: RefObject<HTMLFormElement | null>;
  };
  ref: RefObject<HTMLFormElement | null>;
  errors: FieldErrors;
  /** Shows the field errors and focuses the first invalid field. An empty object clears the errors. */
  showErrors: (errors: FieldErrors) => void;
  /** The current values of the fields. A field that is not in the form has its initial value. */
  read: () => Values;
  /** Returns the props of the field `name`, or of the fields that have the shared error `name`. */
  field: (name: (keyof Values & string) | SharedError) => Required<FieldProps>;
}

/**
 * The state of a form: validation, request and errors. A submit reads the values from the DOM, because autofill and
 * typing before hydration change only the DOM.
 */
export function useForm<Values extends Texts, Result>(
  options: FormOptions<Values, Result>,
): Form<Values> {
  const { fields, check, send, onDone, refusals = {}, onSubmit, summary = false } = options;
  const { t } = useTranslation();
  const ref = useRef<HTMLFormElement>(null);
  const request = useRequest(showRefusal);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [failures, setFailures] = useState(0);

  // A layout effect runs before the next paint, so that an immediate key press goes to the invalid field.
  useLayoutEffect(() => {
    if (failures > 0) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failures]);

  function showRefusal(failure: unknown) {
    const code = failure instanceof ApiFailure && failure.refusal?.code;
    const name = code && refusals[code];
    if (!name) return options.onFailure?.(failure) ?? false;
    showErrors({ [name]: { sentence: errorMessageOf(failure, t(messageKey(code))) } });
    return true;
  }

  function showErrors(next: FieldErrors) {
    setErrors(next);
    setFailures((number) => number + 1);
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    onSubmit?.();
    const page = new FormData(event.currentTarget);
    const values = textsOf(page, fields);
    const fieldErrors = check(values);
    request.forget();
    showErrors(fieldErrors);
    if (Object.keys(fieldErrors).length > 0) return;
    request.send(
      () => send(values, page),
      (result) => onDone(result, values),
    );
  }

  function messageOf(name: string): string | null {
    const error = errors[name];
    if (!error) return null;
    return 'code' in error ? t(messageKey(error.code)) : error.sentence;
  }

  return {
    ...request,
    props: { method: 'post', noValidate: true, onSubmit: submit, ref },
    ref,
    errors,
    showErrors,
    read: () => (ref.current ? textsOf(new FormData(ref.current), fields) : fields),
    field: (name) => ({
      name,
      defaultValue: fields[name] ?? '',
      error: messageOf(name),
      announceError: !summary,
      onInput: () => setErrors(({ [name]: _corrected, ...others }) => others),
    }),
  };
}

/** Reads the values of the fields from the form. A field that the form does not contain has its value in `fields`. */
function textsOf<Values extends Texts>(page: FormData, fields: Values): Values {
  const values = Object.entries(fields).map(([name, text]) => [name, page.get(name) ?? text]);
  return Object.fromEntries(values);
}
