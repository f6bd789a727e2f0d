import type { ReactNode, Ref } from 'react';
import { Icon } from './icon';
import styles from './notice.module.css';

interface AlertProps {
  children: ReactNode;
  ref?: Ref<HTMLDivElement>;
  /** Shows the offline icon, because the server was not reachable. */
  offline?: boolean;
}

/** A focusable error message that is announced immediately. A form shows at most one such error summary. */
export function Alert({ children, ref, offline }: AlertProps) {
  return (
    <div
      className={`${styles.notice} ${styles.danger} ${offline ? styles.offline : ''}`}
      ref={ref}
      role="alert"
      tabIndex={-1}
    >
      <Icon shape={offline ? 'offline' : 'warn'} />
      <div>{paragraphOf(children)}</div>
    </div>
  );
}

/** Returns a string as one paragraph, and other content unchanged. */
export const paragraphOf = (content: ReactNode): ReactNode =>
  typeof content === 'string' ? <p>{content}</p> : content;

interface StatusProps {
  children: ReactNode;
  /** Shows the message neither as a success nor as an error, because nothing was done and nothing is wrong. */
  neutral?: boolean | undefined;
}

/** A message that needs no action and is announced politely. */
export function Status({ children, neutral = false }: StatusProps) {
  return (
    <div className={`${styles.notice} ${neutral ? '' : styles.success}`} role="status">
      <Icon shape={neutral ? 'warn' : 'tick'} />
      <div>{paragraphOf(children)}</div>
    </div>
  );
}
