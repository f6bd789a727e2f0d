import type { MouseEvent, ReactNode, Ref } from 'react';
import { Link } from 'wouter';
import { useAnnouncement } from './announcer';
import styles from './button.module.css';
import { Spinner } from './spinner';

interface ButtonProps {
  children: ReactNode;
  /** Replaces the children while the request is in progress. The button keeps the focus and ignores clicks. */
  busy?: string | false | undefined;
  /** Ignores clicks without showing progress, while the request of another button is in progress. */
  disabled?: boolean;
  /** `primary`: the main action of a screen; `danger`: affects other devices; `quiet`: one of several in a list. */
  variant?: 'primary' | 'secondary' | 'danger' | 'quiet';
  type?: 'submit' | 'button';
  onClick?: () => void;
  /** The accessible name, if the visible text is not sufficient on its own. */
  label?: string;
  /** The id of the element that distinguishes buttons with the same text. */
  describedBy?: string;
  ref?: Ref<HTMLButtonElement>;
}

export function Button(props: ButtonProps) {
  const {
    children,
    busy,
    disabled,
    variant = 'primary',
    type,
    onClick,
    label,
    describedBy,
    ref,
  } = props;
  const inactive = busy || disabled;
  // Screen readers do not report a change of the focused button.
  useAnnouncement(busy || null);
  return (
    <button
      aria-describedby={describedBy}
      // Not `disabled`: browsers move the focus of a disabled button to the body.
      aria-disabled={inactive ? true : undefined}
      aria-label={label}
      className={styles[variant]}
      onClick={inactive ? ignore : onClick}
      ref={ref}
      type={type ?? (onClick ? 'button' : 'submit')}
    >
      {busy ? <Spinner small /> : null}
      {busy || children}
    </button>
  );
}

/** Also prevents an implicit submission by Enter, which clicks the submit button. */
function ignore(event: MouseEvent): void {
  event.preventDefault();
}

/** A link styled as a button. */
export function ButtonLink({
  to,
  variant = 'secondary',
  children,
}: {
  to: string;
  variant?: 'primary' | 'secondary';
  children: ReactNode;
}) {
  return (
    <Link className={styles[variant]} to={to}>
      {children}
    </Link>
  );
}
