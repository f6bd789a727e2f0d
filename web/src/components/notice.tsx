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

/** A success message, announced politely. */
export function Status({ children }: { children: ReactNode }) {
  return (
    <div className={`${styles.notice} ${styles.success}`} role="status">
      <Icon shape="tick" />
      <div>{children}</div>
    </div>
  );
}
