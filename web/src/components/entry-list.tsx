import { type ReactNode, type Ref, useId } from 'react';
import type { Elements } from './elements';
import styles from './entry-list.module.css';

interface EntryListProps {
  /** Separates the entries by lines instead of showing each entry as a card, for long lists. */
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
  lines: readonly ReactNode[];
  /** Returns the buttons, whose `aria-labelledby` contains `titleId`, because other entries have equal buttons. */
  actions?: ((titleId: string) => ReactNode) | undefined;
  /** A form or an error message, which is shown below the lines and buttons. */
  children?: Elements;
}

export function Entry({ ref, title, badge, lines, actions, children }: EntryProps) {
  const id = useId();
  return (
    <li className={styles.entry} ref={ref}>
      <div className={styles.about}>
        <p className={styles.title} id={id}>
          <strong>{title}</strong>
          {badge ? <span className={styles.badge}>{badge}</span> : null}
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
