import { type InputHTMLAttributes, type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
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
  /** A further button inside the box, after the one that clears. */
  extra?: ReactNode;
  /** The label stays at the top, as those of select fields beside it do. */
  raised?: boolean;
}

/** One line of text, with a button that empties it. */
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
            // A shortcut for pointers; the keyboard has its own, and tabs from field to field.
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
