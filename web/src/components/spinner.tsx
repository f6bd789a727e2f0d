import styles from './spinner.module.css';

/** A decorative progress indicator. The text next to the spinner describes the activity. */
export function Spinner({ small }: { small?: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={small ? `${styles.spinner} ${styles.small}` : styles.spinner}
    />
  );
}
