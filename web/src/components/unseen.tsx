import type { ReactNode } from 'react';
import styles from './unseen.module.css';

/** Words for screen readers alone; `live` ones are read, politely, whenever they change. */
export function Unseen({ children, live }: { children: ReactNode; live?: boolean }) {
  return (
    <span aria-live={live ? 'polite' : undefined} className={styles.unseen}>
      {children}
    </span>
  );
}
