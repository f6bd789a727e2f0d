import styles from './checkbox.module.css';

interface CheckboxProps {
  name: string;
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** The browser's own box in our paint; the whole row is the target. */
export function Checkbox({ name, label, checked, onChange }: CheckboxProps) {
  return (
    <label className={styles.row}>
      <input
        checked={checked}
        className={styles.box}
        name={name}
        onChange={(event) => onChange(event.target.checked)}
        type="checkbox"
      />
      <span>{label}</span>
    </label>
  );
}
