import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface StepLinkProps {
  onClick: () => void;
  children: ReactNode;
}

/** A link to another view of the sign-in. Its URL is that of the sign-in screen, for example for a new tab. */
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
