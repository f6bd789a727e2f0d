import { useEffect, useLayoutEffect, useRef } from 'react';
import { useConfig } from '../config';

let firstScreen = true;

/**
 * The heading of a screen, and the document title. Takes the focus after a navigation between screens, so that
 * keyboards and screen readers start at the top of the new screen, as after a page load.
 */
export function PageTitle({ children }: { children: string }) {
  const { region } = useConfig();
  const heading = useRef<HTMLHeadingElement>(null);

  // With the heading, not after the next paint: keys that follow at once belong to the new screen.
  useLayoutEffect(() => {
    if (!firstScreen) heading.current?.focus();
    firstScreen = false;
  }, []);

  useEffect(() => {
    document.title = `${children} · ${region.brand}`;
  }, [children, region.brand]);

  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
