import styles from './spinner.module.css';

/** Something is under way. The words beside it say what. */
export function Spinner({ small }: { small?: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={small ? `${styles.spinner} ${styles.small}` : styles.spinner}
    />
  );
}
