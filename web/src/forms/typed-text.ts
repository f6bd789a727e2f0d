import { type RefObject, useCallback, useSyncExternalStore } from 'react';

/** Returns the text of a field for hints while typing, or an empty string in the prerendered page. */
export function useTypedText(form: RefObject<HTMLFormElement | null>, name: string): string {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const element = form.current;
      element?.addEventListener('input', onChange);
      return () => element?.removeEventListener('input', onChange);
    },
    [form],
  );
  return useSyncExternalStore(
    subscribe,
    () => textOf(form.current, name),
    () => '',
  );
}

function textOf(form: HTMLFormElement | null, name: string): string {
  const field = form?.elements.namedItem(name);
  return field instanceof HTMLInputElement ? field.value : '';
}

/** Replaces the text of a field and dispatches the input event that the hints and the errors of the form need. */
export function replaceText(
  field: HTMLInputElement | HTMLSelectElement | null | undefined,
  text: string,
): void {
  if (!field) return;
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
