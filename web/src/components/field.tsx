import { type ReactNode, useId } from 'react';
import styles from './field.module.css';

/** What an input needs to belong to its label and to its message. */
interface ControlProps {
  id: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
}

interface FieldProps {
  label: string;
  /** Read with the field when something is wrong with it. */
  error?: string | null | undefined;
  /** Says it at once: for forms that name one fault at a time, where no summary does. */
  announceError?: boolean | undefined;
  /** Wrong as part of a group whose message stands elsewhere. */
  invalid?: boolean | undefined;
  /** The id of something else that describes the field, such as a checklist. */
  describedBy?: string | undefined;
  /** The input itself. It comes before the label, which moves with its state. */
  control: (props: ControlProps) => ReactNode;
  /** Buttons and signs inside the box. */
  children?: ReactNode;
  /** What opens under the box. */
  popup?: ReactNode;
}

/** A box with a label that floats, and the field's own message under it. */
export function Field(props: FieldProps) {
  const { label, error, describedBy, control, children, popup } = props;
  const invalid = Boolean(error) || props.invalid;
  const id = useId();
  const errorId = `${id}-error`;
  const described = [error ? errorId : null, describedBy].filter(Boolean).join(' ');

  return (
    <div className={invalid ? `${styles.field} ${styles.invalid}` : styles.field}>
      <div className={styles.box}>
        {control({
          id,
          'aria-invalid': invalid ? true : undefined,
          'aria-describedby': described || undefined,
        })}
        <label className={styles.label} htmlFor={id}>
          {label}
        </label>
        {children}
        {popup}
      </div>
      {error ? (
        <p className={styles.error} id={errorId} role={props.announceError ? 'alert' : undefined}>
          {error}
        </p>
      ) : null}
    </div>
  );
}
