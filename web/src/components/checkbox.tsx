import { useLayoutEffect, useRef } from 'react';
import styles from './checkbox.module.css';

interface CheckboxProps {
  name: string;
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** The browser's own box in our paint; the whole row is the target. */
export function Checkbox({ name, label, checked, onChange }: CheckboxProps) {
  const box = useRef<HTMLInputElement>(null);

  // A page that comes drawn may have been filled in before the scripts came.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what stood there before us
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
