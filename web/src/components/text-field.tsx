import { type InputHTMLAttributes, type ReactNode, useRef } from 'react';
import { useTranslation } from '../i18n/use-translation';
import { Field } from './field';
import styles from './field.module.css';
import { Icon } from './icon';

type Passed = 'type' | 'inputMode' | 'maxLength' | 'autoComplete' | 'spellCheck' | 'autoCapitalize';

export interface TextFieldProps extends Pick<InputHTMLAttributes<HTMLInputElement>, Passed> {
  name: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | null | undefined;
  announceError?: boolean;
  invalid?: boolean | undefined;
  describedBy?: string | undefined;
  /** A further button inside the box, after the clear button. */
  extra?: ReactNode;
  /** Keeps the label at the top, like the labels of adjacent selects. */
  raised?: boolean;
}

/** A single-line text field with a clear button. */
export function TextField(props: TextFieldProps) {
  const {
    label,
    value,
    onChange,
    error,
    announceError,
    invalid,
    describedBy,
    extra,
    raised,
    ...passed
  } = props;
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);

  function clear() {
    onChange('');
    input.current?.focus();
  }

  return (
    <Field
      control={(tied) => (
        <input
          {...passed}
          {...tied}
          aria-required="true"
          className={raised ? `${styles.control} ${styles.raised}` : styles.control}
          onChange={(event) => onChange(event.target.value)}
          placeholder=" "
          ref={input}
          value={value}
        />
      )}
      describedBy={describedBy}
      error={error}
      invalid={invalid}
      label={label}
      announceError={announceError}
    >
      <div className={styles.buttons}>
        {value ? (
          <button
            aria-label={t('common.clear', { field: label })}
            className={styles.button}
            onClick={clear}
            // Not a tab stop: keyboard users clear a field with the keyboard.
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
