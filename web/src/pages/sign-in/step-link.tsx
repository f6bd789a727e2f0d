import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface StepLinkProps {
  /** Makes the link ignore clicks, while a request is in progress whose response this view shows. */
  disabled: boolean;
  onClick: () => void;
  children: ReactNode;
}

/** A link to another view of the sign-in. The link has the URL of the sign-in screen, which a new tab would open. */
export function StepLink({ disabled, onClick, children }: StepLinkProps) {
  return (
    <Link
      aria-disabled={disabled || undefined}
      onClick={(event) => {
        event.preventDefault();
        if (!disabled) onClick();
      }}
      to="/"
    >
      {children}
    </Link>
  );
}
