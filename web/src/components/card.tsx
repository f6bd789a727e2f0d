import type { ReactNode } from 'react';
import styles from './card.module.css';
import type { Elements } from './elements';
import { PageTitle } from './page-title';

interface CardProps {
  title: string;
  lead?: ReactNode;
  children: Elements;
}

export function Card({ title, lead, children }: CardProps) {
  return (
    <section className={styles.card}>
      <div className={styles.top}>
        <PageTitle>{title}</PageTitle>
        {lead ? <p className={styles.lead}>{lead}</p> : null}
      </div>
      {children}
    </section>
  );
}
