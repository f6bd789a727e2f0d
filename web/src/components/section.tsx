import { type Ref, useId } from 'react';
import type { Elements } from './elements';
import styles from './section.module.css';

interface SectionProps {
  title: string;
  lead?: string;
  /** The ref of the heading, which the caller focuses when a focused element of the section is removed. */
  heading?: Ref<HTMLHeadingElement>;
  children: Elements;
}

export function Section({ title, lead, heading, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.section}>
      <div>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {lead ? <p className={styles.lead}>{lead}</p> : null}
      </div>
      {children}
    </section>
  );
}
