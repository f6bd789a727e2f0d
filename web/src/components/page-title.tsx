import { useLayoutEffect, useRef } from 'react';
import { useConfig } from '../config';

let firstScreen = true;

/**
 * The heading of a screen, and the document title. Takes the focus after a navigation between screens, so that
 * keyboards and screen readers start at the top of the new screen, as after a page load.
 */
export function PageTitle({ children }: { children: string }) {
  const { region } = useConfig();
  const heading = useRef<HTMLHeadingElement>(null);

  // Both with the heading, not after the next paint: keys that follow at once belong to the new screen, and a screen
  // reader may read the title with the focus.
  useLayoutEffect(() => {
    document.title = `${children} · ${region.brand}`;
  }, [children, region.brand]);

  useLayoutEffect(() => {
    if (!firstScreen) heading.current?.focus();
    firstScreen = false;
  }, []);

  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
