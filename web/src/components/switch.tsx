import styles from './switch.module.css';

interface SwitchProps {
  label: string;
  checked: boolean;
  /** Whether the request that saves the choice is in progress. The switch then ignores further changes. */
  busy: boolean;
  onChange: (checked: boolean) => void;
}

/** A switch for a setting that is saved at once. A click on any part of the row changes the setting. */
export function Switch({ label, checked, busy, onChange }: SwitchProps) {
  return (
    <label className={styles.row}>
      <span>{label}</span>
      <input
        aria-disabled={busy || undefined}
        checked={checked}
        className={styles.track}
        onChange={(event) => onChange(event.target.checked)}
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox exposes its state itself (ARIA in HTML)
        role="switch"
        type="checkbox"
      />
    </label>
  );
}
