import { type ReactNode, useRef } from 'react';
import { useAnnouncedElement } from './announcer';
import { Icon } from './icon';
import styles from './result.module.css';

interface ResultProps {
  status: 'success' | 'failure';
  children: ReactNode;
}

/** The result of a flow: a tick or a cross with a text, announced when it is mounted. */
export function Result({ status, children }: ResultProps) {
  const success = status === 'success';
  const result = useRef<HTMLDivElement>(null);
  useAnnouncedElement(success ? result : null);
  return (
    <div
      // A success is announced by the live region of the page, as in `Status`.
      aria-live={success ? 'off' : undefined}
      className={`${styles.result} ${styles[status]}`}
      ref={result}
      role={success ? 'status' : 'alert'}
    >
      <span className={styles.sign}>
        <Icon shape={success ? 'tick' : 'cross'} />
      </span>
      {children}
    </div>
  );
}
