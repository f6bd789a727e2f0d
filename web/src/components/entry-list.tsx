import { type ReactNode, type Ref, useId } from 'react';
import styles from './entry-list.module.css';

interface EntryListProps {
  /** Separates the entries by lines instead of cards, for long lists. */
  dense?: boolean;
  children: ReactNode;
}

export function EntryList({ dense, children }: EntryListProps) {
  return <ul className={dense ? styles.dense : styles.list}>{children}</ul>;
}

interface EntryProps {
  ref?: Ref<HTMLLIElement>;
  title: string;
  /** A label beside the title, for example "This device". */
  badge?: string | null | undefined;
  /** Lines below the title. */
  lines: readonly ReactNode[];
  /** Returns the buttons of the entry. `aria-labelledby` with `titleId` distinguishes equal buttons of two entries. */
  actions?: ((titleId: string) => ReactNode) | undefined;
  /** A form or an error message of the entry, in a row of its own. */
  children?: ReactNode;
}

/** An entry of a list, for example a device, a passkey or an event. */
export function Entry({ ref, title, badge, lines, actions, children }: EntryProps) {
  const id = useId();
  return (
    <li className={styles.entry} ref={ref}>
      <div className={styles.about}>
        <p className={styles.title} id={id}>
          <strong>{title}</strong> {badge ? <span className={styles.badge}>{badge}</span> : null}
        </p>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of an entry have a fixed order
          <p className={styles.line} key={index}>
            {line}
          </p>
        ))}
      </div>
      {actions ? <div className={styles.actions}>{actions(id)}</div> : null}
      {children ? <div className={styles.row}>{children}</div> : null}
    </li>
  );
}
