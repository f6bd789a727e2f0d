import styles from './sign-in.module.css';

/** The house whose door opens when the sign-in is approved. */
export function Door({ isOpen }: { isOpen: boolean }) {
  return (
    <svg aria-hidden="true" className={styles.house} viewBox="0 0 120 84">
      <path className="edge" d="M60 4 8 40h10v44h84V40h10z" />
      <path className={styles.inside} d="M46 34h28v50H46z" />
      <path className={`lit ${isOpen ? styles.open : styles.leaf}`} d="M46 34h28v50H46z" />
      <path className="lit" d="M26 44h12v12H26zM82 44h12v12H82z" />
    </svg>
  );
}
