import type { ReactNode } from 'react';
import { Icon } from './icon';
import styles from './result.module.css';

interface ResultProps {
  status: 'success' | 'failure';
  children: ReactNode;
}

/** The result of a flow: a tick or a cross with a text. The result is announced when the component is mounted. */
export function Result({ status, children }: ResultProps) {
  const success = status === 'success';
  return (
    <div className={`${styles.result} ${styles[status]}`} role={success ? 'status' : 'alert'}>
      <span className={styles.sign}>
        <Icon shape={success ? 'tick' : 'cross'} />
      </span>
      {children}
    </div>
  );
}
