import type { MouseEvent, ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';
import { Spinner } from './spinner';

interface ButtonProps {
  children: ReactNode;
  /** Shown instead while the request is under way. The button keeps the focus and ignores presses until then. */
  busy?: ReactNode | false | undefined;
  /** Rests although it says nothing of it: another button's request is under way. */
  disabled?: boolean;
  /** `primary` is the one thing that a screen is for; `danger` reaches further than this device; `quiet` is one of a row. */
  look?: 'primary' | 'secondary' | 'danger' | 'quiet';
  type?: 'submit' | 'button';
  onClick?: () => void;
  /** For buttons whose visible word says too little on its own. */
  label?: string;
  /** The id of what it is about, where several buttons say the same. */
  describedBy?: string;
}

export function Button(props: ButtonProps) {
  const { children, busy, disabled, look = 'primary', type, onClick, label, describedBy } = props;
  const resting = busy || disabled;
  return (
    <button
      aria-describedby={describedBy}
      // Not `disabled`: the browser would move the focus to the body.
      aria-disabled={resting ? true : undefined}
      aria-label={label}
      className={styles[look]}
      onClick={resting ? ignore : onClick}
      type={type ?? (onClick ? 'button' : 'submit')}
    >
      {busy ? <Spinner small /> : null}
      {busy || children}
    </button>
  );
}

/** Also stops Enter in a field of the form, which presses its submit button. */
function ignore(event: MouseEvent): void {
  event.preventDefault();
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
