import { useLayoutEffect, useRef } from 'react';
import { useConfig } from '../config';

let lastTitle: string | null = null;

/**
 * The heading of a screen, which is also the document title. After a navigation within the page the heading takes the
 * focus, so that keyboard and screen reader start at the top of the new screen, as after a page load.
 */
export function PageTitle({ children }: { children: string }) {
  const { region } = useConfig();
  const heading = useRef<HTMLHeadingElement>(null);

  useLayoutEffect(() => {
    // A lazy screen repeats the title of its placeholder. The user may have moved the focus since then.
    const isRepeated = heading.current?.textContent === lastTitle;
    const hasMovedOn = isRepeated && document.activeElement !== document.body;
    if (lastTitle !== null && !hasMovedOn) heading.current?.focus();
  }, []);

  // A layout effect runs before the next paint, so that an immediate key press goes to the new screen, and a screen
  // reader that follows the focus reads the new title.
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
