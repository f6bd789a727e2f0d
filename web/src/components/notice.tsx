import type { ReactNode, Ref } from 'react';
import { Icon } from './icon';
import styles from './notice.module.css';

interface AlertProps {
  children: ReactNode;
  ref?: Ref<HTMLDivElement>;
  /** The server was not reached: drawn as that. */
  offline?: boolean;
}

/** What went wrong, said at once. The one summary of a form; it can take the focus. */
export function Alert({ children, ref, offline }: AlertProps) {
  return (
    <div className={`${styles.notice} ${styles.danger}`} ref={ref} role="alert" tabIndex={-1}>
      <Icon shape={offline ? 'offline' : 'warn'} />
      <div>{children}</div>
    </div>
  );
}

/** What went well, said when the reader has a moment. */
export function Status({ children }: { children: ReactNode }) {
  return (
    <div className={`${styles.notice} ${styles.success}`} role="status">
      <Icon shape="tick" />
      <div>{children}</div>
    </div>
  );
}
