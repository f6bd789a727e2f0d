import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * Moves the focus into the first field of a form that opens inline, and back to the button when the form closes,
 * unless the focus has moved elsewhere.
 */
export function useInlineFocus<Container extends HTMLElement>(
  open: boolean,
): RefObject<Container | null> {
  const container = useRef<Container>(null);
  const wasOpen = useRef(open);

  useLayoutEffect(() => {
    if (wasOpen.current === open) return;
    wasOpen.current = open;
    const hasLostFocus = document.activeElement === document.body;
    if (open) container.current?.querySelector<HTMLElement>('input:not([hidden])')?.focus();
    else if (hasLostFocus) container.current?.querySelector('button')?.focus();
  }, [open]);

  return container;
}
