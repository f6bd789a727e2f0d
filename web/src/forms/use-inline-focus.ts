import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * When an inline form opens, focuses its first field. When the form closes, focuses the button, unless the user has
 * moved the focus elsewhere.
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
