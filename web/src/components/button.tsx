import type { MouseEvent, ReactNode, Ref } from 'react';
import { Link } from 'wouter';
import { useAnnouncement } from './announcer';
import styles from './button.module.css';
import { Spinner } from './spinner';

interface ButtonProps {
  children: ReactNode;
  /** The text of the button while its request is in progress. The button then keeps the focus and ignores clicks. */
  busy?: string | false | undefined;
  /** Makes the button ignore clicks and show no progress, while the request of another button is in progress. */
  disabled?: boolean;
  /** `primary`: the main action of a screen; `danger`: affects other devices; `quiet`: one of several list buttons. */
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
  // The live region announces the progress, because screen readers do not report a new text of the focused button.
  useAnnouncement(busy || null);
  return (
    <button
      aria-describedby={describedBy}
      // The button uses `aria-disabled`, because browsers move the focus of a `disabled` button to the body.
      aria-disabled={inactive ? true : undefined}
      aria-label={busy ? undefined : label}
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

/** Prevents a click, and also an implicit submission by Enter, because Enter clicks the submit button. */
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
