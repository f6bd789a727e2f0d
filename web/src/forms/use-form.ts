import { type FormEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { messageKey } from '../api/message';
import { useTranslation } from '../i18n/use-translation';
import type { FieldErrors } from './field-errors';
import { type Sending, useRequest } from './use-request';

/** The names of errors that belong to several fields. */
type SharedError = 'birthday';

type Texts = Readonly<Record<string, string>>;

export interface FormOptions<Values extends Texts, Result> {
  /** The text fields by name, with their initial values. */
  fields: Values;
  /** Returns the errors of the fields. The form is sent only without errors. */
  check: (values: Values) => FieldErrors;
  /** Sends the form. `page` also has the ticked checkboxes. */
  send: (values: Values, page: FormData) => Promise<Result>;
  onDone: (result: Result, values: Values) => void;
  /** Returns true for failures that it has handled itself. */
  handled?: (failure: unknown) => boolean;
  /** Called first at each submit, to remove the messages of the submit before it. */
  onSubmit?: () => void;
  /** The form shows an alert for its field errors, so the fields do not announce them. */
  summary?: boolean;
}

/** The props of a field whose text is in the DOM (an uncontrolled input). */
export interface FieldProps {
  name: string;
  defaultValue?: string | undefined;
  error?: string | null | undefined;
  /** Announces the error, which screen readers do not read if the focus is already in the field. */
  announceError?: boolean | undefined;
  /** Clears the error. */
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
  /** Shows the errors and focuses the first invalid field. An empty record clears the errors. */
  showErrors: (errors: FieldErrors) => void;
  /** The texts of the fields. Fields that are not in the form have their initial value. */
  read: () => Values;
  /** The props of the field `name`, or of the fields that share the error `name`. */
  field: (name: (keyof Values & string) | SharedError) => Required<FieldProps>;
}

/**
 * A form: its check, its request, and the errors of both. The texts stay in the DOM, where autofill and typing before
 * hydration put them too; the submit reads them from there.
 */
export function useForm<Values extends Texts, Result>(
  options: FormOptions<Values, Result>,
): Form<Values> {
  const { fields, check, send, onDone, handled, onSubmit, summary = false } = options;
  const { t } = useTranslation();
  const ref = useRef<HTMLFormElement>(null);
  const request = useRequest(handled);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [failures, setFailures] = useState(0);

  // Moves the focus before the next paint, so that keys pressed at once go to the invalid field.
  useLayoutEffect(() => {
    if (failures > 0) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failures]);

  function showErrors(next: FieldErrors) {
    setErrors(next);
    setFailures((number) => number + 1);
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    onSubmit?.();
    const page = new FormData(event.currentTarget);
    const values = textsOf(page, fields);
    const found = check(values);
    request.forget();
    showErrors(found);
    if (Object.keys(found).length > 0) return;
    request.send(
      () => send(values, page),
      (result) => onDone(result, values),
    );
  }

  /** The error message of a field, in the language of the page. */
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

/** The texts of the form for the names of `fields`. Names that are not in the form keep their value. */
function textsOf<Values extends Texts>(page: FormData, fields: Values): Values {
  const texts = Object.entries(fields).map(([name, text]) => [name, page.get(name) ?? text]);
  return Object.fromEntries(texts);
}
