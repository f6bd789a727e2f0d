import { useLayoutEffect, useRef } from 'react';
import { useConfig } from '../config';

let lastTitle: string | null = null;

/**
 * The heading of a screen, and the document title. The heading takes the focus after a navigation between screens, so
 * that keyboards and screen readers start at the top of the new screen, as after a page load.
 */
export function PageTitle({ children }: { children: string }) {
  const { region } = useConfig();
  const heading = useRef<HTMLHeadingElement>(null);

  useLayoutEffect(() => {
    // A screen whose script arrives late repeats the title of its placeholder, and the focus may have moved on since.
    const isRepeated = heading.current?.textContent === lastTitle;
    const hasMovedOn = isRepeated && document.activeElement !== document.body;
    if (lastTitle !== null && !hasMovedOn) heading.current?.focus();
  }, []);

  // A layout effect runs before the next paint, so that a key that is pressed at once belongs to the new screen, and a
  // screen reader that follows the focus reads the new title.
  useLayoutEffect(() => {
    lastTitle = children;
    document.title = `${children} · ${region.brand}`;
  }, [children, region.brand]);

  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
