import {
  type FormEventHandler,
  type InputHTMLAttributes,
  useDeferredValue,
  useLayoutEffect,
  useRef,
} from 'react';
import { replaceText } from '../forms/typed-text';
import type { FieldProps } from '../forms/use-form';
import { useTranslation } from '../i18n/use-translation';
import type { Elements } from './elements';
import { Field } from './field';
import styles from './field.module.css';
import { Icon } from './icon';

type Passed =
  | 'type'
  | 'inputMode'
  | 'enterKeyHint'
  | 'maxLength'
  | 'autoComplete'
  | 'autoCorrect'
  | 'spellCheck'
  | 'autoCapitalize';

export interface TextFieldProps
  extends Omit<FieldProps, 'onInput'>,
    Pick<InputHTMLAttributes<HTMLInputElement>, Passed> {
  label: string;
  onInput?: FormEventHandler<HTMLInputElement> | undefined;
  invalid?: boolean | undefined;
  describedBy?: string | undefined;
  /** A further button inside the box, after the clear button. */
  extra?: Elements;
  /** Keeps the floating label above the text even if the field is empty, as adjacent selects do. */
  raised?: boolean;
}

/**
 * A single-line text field with a clear button. The text is in the DOM and not in React state. By default the browser
 * does not correct the text, because names, addresses and codes are no prose.
 */
export function TextField(props: TextFieldProps) {
  const { label, error, announceError, invalid, describedBy, extra, raised, ...passed } = props;
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  // The clear button is rendered only after hydration, because no click handler exists before.
  const works = useDeferredValue(true, false);

  // If the user has typed text before hydration, an `input` event reports the text to the form.
  useLayoutEffect(() => {
    const field = input.current;
    if (field?.value) replaceText(field, field.value);
  }, []);

  function clear() {
    replaceText(input.current, '');
    input.current?.focus();
  }

  return (
    <Field
      control={(controlProps) => (
        <input
          autoCorrect="off"
          enterKeyHint="next"
          spellCheck={false}
          {...passed}
          {...controlProps}
          aria-required="true"
          className={raised ? `${styles.control} ${styles.raised}` : styles.control}
          // The placeholder is needed for `:placeholder-shown`, by which CSS hides the clear button of an empty field.
          placeholder=" "
          ref={input}
        />
      )}
      describedBy={describedBy}
      error={error}
      invalid={invalid}
      label={label}
      announceError={announceError}
    >
      <div className={styles.buttons}>
        {works ? (
          <button
            aria-label={t('common.clear', { field: label })}
            className={`${styles.button} ${styles.clear}`}
            onClick={clear}
            // The clear button is no tab stop, because keyboard users clear a field with the keyboard.
            tabIndex={-1}
            type="button"
          >
            <Icon shape="clear" />
          </button>
        ) : null}
        {extra}
      </div>
    </Field>
  );
}
