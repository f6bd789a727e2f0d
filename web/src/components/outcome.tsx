import type { ReactNode } from 'react';
import { Icon } from './icon';
import styles from './outcome.module.css';

/** How it ended: a tick or a cross, and the words for it, which are read out at once. */
export function Outcome({ good, children }: { good: boolean; children: ReactNode }) {
  return (
    <div
      className={`${styles.outcome} ${good ? styles.good : styles.bad}`}
      role={good ? 'status' : 'alert'}
    >
      <span className={styles.sign}>
        <Icon shape={good ? 'tick' : 'cross'} />
      </span>
      {children}
    </div>
  );
}
