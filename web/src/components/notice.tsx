import type { ReactNode, Ref } from 'react';
import { Icon } from './icon';
import styles from './notice.module.css';

interface AlertProps {
  children: ReactNode;
  ref?: Ref<HTMLDivElement>;
  /** Shows the offline icon: the server was not reachable. */
  offline?: boolean;
}

/** An error message, announced immediately. The only error summary of a form; focusable. */
export function Alert({ children, ref, offline }: AlertProps) {
  return (
    <div className={`${styles.notice} ${styles.danger}`} ref={ref} role="alert" tabIndex={-1}>
      <Icon shape={offline ? 'offline' : 'warn'} />
      <div>{children}</div>
    </div>
  );
}

interface StatusProps {
  children: ReactNode;
  /** Nothing was done, and nothing is wrong: the message is neither a success nor an error. */
  neutral?: boolean;
}

/** A message that needs no action, announced politely. */
export function Status({ children, neutral = false }: StatusProps) {
  return (
    <div className={`${styles.notice} ${neutral ? '' : styles.success}`} role="status">
      <Icon shape={neutral ? 'warn' : 'tick'} />
      <div>{children}</div>
    </div>
  );
}
