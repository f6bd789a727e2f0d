import type { ReactNode } from 'react';
import styles from './visually-hidden.module.css';

/** Words for screen readers alone; `live` ones are read, politely, whenever they change. */
export function VisuallyHidden({ children, live }: { children: ReactNode; live?: boolean }) {
  return (
    <span aria-live={live ? 'polite' : undefined} className={styles.hidden}>
      {children}
    </span>
  );
}
