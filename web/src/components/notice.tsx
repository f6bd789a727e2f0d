import type { Ref } from 'react';
import type { Elements } from './elements';
import { Icon } from './icon';
import styles from './notice.module.css';

interface AlertProps {
  children: string | Elements;
  ref?: Ref<HTMLDivElement>;
  /** Shows the icon for a connection failure, because the server was not reachable. */
  offline?: boolean;
}

/** An error message that is announced immediately and can take the focus. A form shows at most one. */
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

/** Wraps a string in a paragraph. Returns other content unchanged. */
export const paragraphOf = (content: string | Elements): Elements =>
  typeof content === 'string' ? <p>{content}</p> : content;

interface StatusProps {
  children: string | Elements;
  /** Shows the message without the colour of success, because it reports neither a success nor an error. */
  neutral?: boolean | undefined;
}

/** A message that is announced politely and requires no action of the user. */
export function Status({ children, neutral = false }: StatusProps) {
  return (
    <div className={`${styles.notice} ${neutral ? '' : styles.success}`} role="status">
      <Icon shape={neutral ? 'info' : 'tick'} />
      <div>{paragraphOf(children)}</div>
    </div>
  );
}
