import { type FormEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { ApiFailure, type ErrorCode } from '../api/client';
import { errorMessageOf, messageKey } from '../api/message';
import { useTranslation } from '../i18n/use-translation';
import type { FieldErrors } from './field-errors';
import { type Sending, useRequest } from './use-request';

/** The names of errors that belong to several fields. */
type SharedError = 'birthday';

type Texts = Readonly<Record<string, string>>;

export interface FormOptions<Values extends Texts, Result> {
  /** The initial values of the text fields, by field name. */
  fields: Values;
  /** Returns the errors of the fields. The form is sent only if there are no errors. */
  check: (values: Values) => FieldErrors;
  /** Sends the form. `page` contains all values of the form, also the ticked checkboxes. */
  send: (values: Values, page: FormData) => Promise<Result>;
  onDone: (result: Result, values: Values) => void;
  /** The fields that show refusals of the server, by error code. */
  refusals?: Partial<Record<ErrorCode, keyof Values & string>>;
  /** Returns true for a failure that the function has handled, so that the form shows no error. */
  onFailure?: (failure: unknown) => boolean;
  /** Called first at each submit, to remove the messages of the previous submit. */
  onSubmit?: () => void;
  /** The form announces its field errors in an alert, so the fields do not announce these errors. */
  summary?: boolean;
}

/** The props of a field whose text is in the DOM (an uncontrolled input). */
export interface FieldProps {
  name: string;
  defaultValue?: string | undefined;
  error?: string | null | undefined;
  /** Whether the field announces its error. Screen readers do not read the error if the field already has the focus. */
  announceError?: boolean | undefined;
  /** Clears the error of the field. */
  onInput?: () => void;
}

export interface Form<Values extends Texts> extends Sending {
  /** The props of the form element. */
  props: {
    method: 'post';
    noValidate: true;
    onSubmit: (event: FormEvent<HTMLFormElement>) => void;
    ref: RefObject<HTMLFormElement | null>;
  };
  ref: RefObject<HTMLFormElement | null>;
  errors: FieldErrors;
  /** Shows the field errors and focuses the first invalid field. An empty record clears the errors. */
  showErrors: (errors: FieldErrors) => void;
  /** The current values of the fields. A field that is not in the form has its initial value. */
  read: () => Values;
  /** Returns the props of the field `name`, or of the fields that share the error `name`. */
  field: (name: (keyof Values & string) | SharedError) => Required<FieldProps>;
}

/**
 * The state of a form: the check of the values, the request, and the errors of both. The submit reads the values from
 * the DOM, because autofill and typing before hydration write to the DOM.
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

  // The focus moves before the next paint, so that keys pressed at once go to the invalid field.
  useLayoutEffect(() => {
    if (failures > 0) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failures]);

  function showRefusal(failure: unknown): boolean {
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

  /** Returns the error message of a field in the language of the page. */
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

/** Reads the values of `fields` from the form. A field that is not in the form keeps its value from `fields`. */
function textsOf<Values extends Texts>(page: FormData, fields: Values): Values {
  const values = Object.entries(fields).map(([name, text]) => [name, page.get(name) ?? text]);
  return Object.fromEntries(values);
}
