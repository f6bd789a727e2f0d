import { useId } from 'react';
import type { Elements } from './elements';
import styles from './field.module.css';
import { Icon } from './icon';

/** The attributes that connect an input with the label and the error message of the input. */
interface ControlProps {
  id: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
}

interface FieldProps {
  label: string;
  /** The error message, which is part of the field's accessible description. */
  error?: string | null | undefined;
  /** Whether the error message is announced (default: true). A form with an error summary announces the summary. */
  announceError?: boolean | undefined;
  /** Marks the field as invalid without an error message, because the message belongs to a group of fields. */
  invalid?: boolean | undefined;
  /** The id of a further description of the field, for example a checklist. */
  describedBy?: string | undefined;
  /** The input, which precedes the label in the DOM, because CSS positions the label by the state of the input. */
  control: (props: ControlProps) => Elements;
  children?: Elements;
  /** The popup below the box of the field, for example a list. */
  popup?: Elements;
}

/** An input with a floating label inside its box, and the error message below the box. */
export function Field(props: FieldProps) {
  const { label, error, announceError = true, describedBy, control, children, popup } = props;
  const invalid = Boolean(error) || props.invalid;
  const id = useId();
  const errorId = `${id}-error`;
  const descriptionIds = [error ? errorId : null, describedBy].filter(Boolean).join(' ');

  return (
    <div className={invalid ? `${styles.field} ${styles.invalid}` : styles.field}>
      <div className={styles.box}>
        {control({
          id,
          'aria-invalid': invalid ? true : undefined,
          'aria-describedby': descriptionIds || undefined,
        })}
        <label className={styles.label} htmlFor={id}>
          {label}
        </label>
        {children}
        {popup}
      </div>
      {error ? (
        <FieldError announced={announceError} id={errorId}>
          {error}
        </FieldError>
      ) : null}
    </div>
  );
}

interface FieldErrorProps {
  id: string;
  announced: boolean;
  children: string;
}

/** The error message below a field. The icon distinguishes the message from a hint without colours. */
export function FieldError({ id, announced, children }: FieldErrorProps) {
  return (
    <p className={styles.error} id={id} role={announced ? 'alert' : undefined}>
      <Icon shape="warn" />
      <span>{children}</span>
    </p>
  );
}
