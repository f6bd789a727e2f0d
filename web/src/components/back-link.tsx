import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './back-link.module.css';

interface BackLinkProps {
  to: string;
  /** Draws a line above the link, to separate the link from a list or from sections. */
  divided?: boolean;
  children: ReactNode;
}

/** A link to another screen, below the content of a card. */
export function BackLink({ to, divided, children }: BackLinkProps) {
  return (
    <p className={divided ? styles.divided : styles.centred}>
      <Link to={to}>{children}</Link>
    </p>
  );
}
