import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * Moves the focus into the first field of a form that opens inline, and back to the button when the form closes,
 * unless the focus has moved elsewhere.
 */
export function useInlineFocus<Container extends HTMLElement>(
  open: boolean,
): RefObject<Container | null> {
  const container = useRef<Container>(null);
  const before = useRef(open);

  useLayoutEffect(() => {
    if (before.current === open) return;
    before.current = open;
    const lost = document.activeElement === document.body;
    if (open) container.current?.querySelector<HTMLElement>('input:not([hidden])')?.focus();
    else if (lost) container.current?.querySelector('button')?.focus();
  }, [open]);

  return container;
}
