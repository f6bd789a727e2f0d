import type { ReactNode } from 'react';
import styles from './visually-hidden.module.css';

/** Text for screen readers only. If `live` is set, changes are announced politely. */
export function VisuallyHidden({ children, live }: { children: ReactNode; live?: boolean }) {
  return (
    <span aria-live={live ? 'polite' : undefined} className={styles.hidden}>
      {children}
    </span>
  );
}
