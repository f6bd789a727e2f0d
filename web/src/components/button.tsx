import type { MouseEvent, ReactNode, Ref } from 'react';
import { Link } from 'wouter';
import { useAnnouncement } from './announcer';
import styles from './button.module.css';
import { Spinner } from './spinner';

export interface ButtonProps {
  children: ReactNode;
  /** The text of the button while its request is in progress. A busy button keeps the focus and ignores clicks. */
  busy?: string | false | undefined;
  /** Makes the button ignore clicks without showing progress, because the request of another button is in progress. */
  disabled?: boolean;
  /** `primary`: the main action of a screen; `danger`: a destructive action; `quiet`: a button that is one of many. */
  variant?: 'primary' | 'secondary' | 'danger' | 'quiet';
  type?: 'submit' | 'button';
  onClick?: () => void;
  /** The accessible name of the button, if its visible text is not sufficient. */
  label?: string;
  /** The id of the element that distinguishes buttons with the same text. */
  describedBy?: string;
  ref?: Ref<HTMLButtonElement> | undefined;
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
  // The text is announced, because screen readers do not report that the text of the focused button has changed.
  useAnnouncement(busy || null);
  return (
    <button
      aria-describedby={describedBy}
      // `disabled` is not used, because browsers move the focus of a disabled button to the body.
      aria-disabled={inactive ? true : undefined}
      aria-label={busy ? undefined : label}
      className={styles[variant]}
      onClick={inactive ? ignore : onClick}
      ref={ref}
      type={type ?? (onClick ? 'button' : 'submit')}
    >
      {busy ? <Spinner small /> : null}
      <span>{busy || children}</span>
    </button>
  );
}

/** Ignores a click on the button, and also Enter in a field, because Enter clicks the submit button. */
function ignore(event: MouseEvent): void {
  event.preventDefault();
}

export function ButtonLink({
  to,
  variant = 'secondary',
  disabled = false,
  children,
}: {
  to: string;
  variant?: 'primary' | 'secondary';
  /** Makes the link ignore clicks, while the request of a button is in progress. */
  disabled?: boolean;
  children: ReactNode;
}) {
  return (
    <Link
      aria-disabled={disabled || undefined}
      className={styles[variant]}
      onClick={disabled ? ignore : undefined}
      to={to}
    >
      {children}
    </Link>
  );
}
