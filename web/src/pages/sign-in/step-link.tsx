import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface StepLinkProps {
  onClick: () => void;
  children: ReactNode;
}

/** A link to another view of the sign-in. The link has the URL of the sign-in screen, which a new tab would open. */
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
