import type { Ref } from 'react';
import styles from './checkbox.module.css';

interface CheckboxProps {
  name: string;
  label: string;
  /** Whether the box is ticked at first. */
  defaultChecked?: boolean;
  ref?: Ref<HTMLInputElement>;
}

/** A styled native checkbox, whose state is in the DOM alone. The whole row is the click target. */
export function Checkbox({ label, ...passed }: CheckboxProps) {
  return (
    <label className={styles.row}>
      <input {...passed} className={styles.box} type="checkbox" />
      <span>{label}</span>
    </label>
  );
}
