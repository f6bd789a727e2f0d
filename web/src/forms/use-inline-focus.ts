import { type RefObject, useEffect, useRef } from 'react';

/**
 * The focus follows a form that opens in place: into its first field, and back to the button that
 * opened it. Not back, where it has gone elsewhere meanwhile.
 */
export function useInlineFocus<Place extends HTMLElement>(open: boolean): RefObject<Place | null> {
  const place = useRef<Place>(null);
  const before = useRef(open);

  useEffect(() => {
    if (before.current === open) return;
    before.current = open;
    const lost = document.activeElement === document.body;
    if (open) place.current?.querySelector<HTMLElement>('input:not([hidden])')?.focus();
    else if (lost) place.current?.querySelector('button')?.focus();
  }, [open]);

  return place;
}
