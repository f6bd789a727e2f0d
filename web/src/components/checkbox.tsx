import { type Ref, useId } from 'react';
import styles from './checkbox.module.css';
import { FieldError } from './field';

interface CheckboxProps {
  name: string;
  label: string;
  defaultChecked?: boolean;
  /** The error message, which is announced at once and is part of the accessible description of the box. */
  error?: string | null;
  onChange?: () => void;
  ref?: Ref<HTMLInputElement>;
}

/** A styled native checkbox, whose state is only in the DOM. A click on any part of the row changes the state. */
export function Checkbox({ label, error, ...passed }: CheckboxProps) {
  const errorId = useId();
  return (
    <div>
      <label className={styles.row}>
        <input
          {...passed}
          aria-describedby={error ? errorId : undefined}
          aria-invalid={error ? true : undefined}
          className={styles.box}
          type="checkbox"
        />
        <span>{label}</span>
      </label>
      {error ? (
        <FieldError announced id={errorId}>
          {error}
        </FieldError>
      ) : null}
    </div>
  );
}
