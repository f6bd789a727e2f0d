import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';
import { Spinner } from './spinner';

interface ButtonProps {
  children: ReactNode;
  /** Shown instead while the request is under way; the button rests until then. */
  busy?: ReactNode | false | undefined;
  /** `primary` is the one thing that a screen is for; `danger` reaches further than this device. */
  look?: 'primary' | 'secondary' | 'danger';
  type?: 'submit' | 'button';
  onClick?: () => void;
  /** For buttons whose visible word says too little on its own. */
  label?: string;
  /** The id of what it is about, where several buttons say the same. */
  describedBy?: string;
}

export function Button(props: ButtonProps) {
  const { children, busy, look = 'primary', type, onClick, label, describedBy } = props;
  return (
    <button
      aria-describedby={describedBy}
      aria-label={label}
      className={styles[look]}
      disabled={Boolean(busy)}
      onClick={onClick}
      type={type ?? (onClick ? 'button' : 'submit')}
    >
      {busy ? <Spinner small /> : null}
      {busy || children}
    </button>
  );
}

/** A link that looks like a button, for going somewhere else. */
export function ButtonLink({
  to,
  look = 'secondary',
  children,
}: {
  to: string;
  look?: 'primary' | 'secondary';
  children: ReactNode;
}) {
  return (
    <Link className={styles[look]} to={to}>
      {children}
    </Link>
  );
}
