import { useLayoutEffect, useRef } from 'react';
import styles from './checkbox.module.css';

interface CheckboxProps {
  name: string;
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** A styled native checkbox. The whole row is the click target. */
export function Checkbox({ name, label, checked, onChange }: CheckboxProps) {
  const box = useRef<HTMLInputElement>(null);

  // A prerendered page may have been filled in before hydration.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, with the value from before hydration
  useLayoutEffect(() => {
    if (box.current && box.current.checked !== checked) onChange(box.current.checked);
  }, []);

  return (
    <label className={styles.row}>
      <input
        checked={checked}
        className={styles.box}
        name={name}
        onChange={(event) => onChange(event.target.checked)}
        ref={box}
        type="checkbox"
      />
      <span>{label}</span>
    </label>
  );
}
