import { type ReactNode, type Ref, useRef } from 'react';
import { useAnnouncedElement } from './announcer';
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

/** A success message, announced politely by the live region of the page. */
export function Status({ children }: { children: ReactNode }) {
  const message = useRef<HTMLDivElement>(null);
  useAnnouncedElement(message);
  return (
    // `off`: screen readers may miss a region that is inserted with its text, or announce the message twice.
    <div
      aria-live="off"
      className={`${styles.notice} ${styles.success}`}
      ref={message}
      role="status"
    >
      <Icon shape="tick" />
      <div>{children}</div>
    </div>
  );
}
