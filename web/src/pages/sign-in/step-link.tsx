import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface StepLinkProps {
  onClick: () => void;
  children: ReactNode;
}

/** A link to another view of the sign-in. The URL of the link opens the sign-in from the start. */
export function StepLink({ onClick, children }: StepLinkProps) {
  return (
    <Link
      onClick={(event) => {
        event.preventDefault();
        onClick();
      }}
      to="/"
    >
      {children}
    </Link>
  );
}
