import { useLayoutEffect, useRef } from 'react';
import { useConfig } from '../config';

let firstScreen = true;

/**
 * The heading of a screen, and the document title. The heading takes the focus after a navigation between screens, so
 * that keyboards and screen readers start at the top of the new screen, as after a page load.
 */
export function PageTitle({ children }: { children: string }) {
  const { region } = useConfig();
  const heading = useRef<HTMLHeadingElement>(null);

  // A layout effect runs before the next paint, so that a key that is pressed at once belongs to the new screen, and a
  // screen reader that follows the focus reads the new title.
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
