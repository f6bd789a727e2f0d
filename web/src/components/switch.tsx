import styles from './switch.module.css';

interface SwitchProps {
  label: string;
  checked: boolean;
  /** Whether the choice is being saved, so that further changes are ignored. */
  busy: boolean;
  onChange: (checked: boolean) => void;
}

/** A switch for a setting that takes effect at once. The whole row is the click target. */
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
