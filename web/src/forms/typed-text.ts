import { type RefObject, useCallback, useSyncExternalStore } from 'react';

/** Returns the current text of a field, or an empty string during prerendering. Renders again at each change. */
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

/**
 * Fills in an empty field. If the user is already in the field, the text is selected, so that the next key replaces the
 * text and is not appended.
 */
export function fillInText(
  field: HTMLInputElement | HTMLSelectElement | null | undefined,
  text: string,
): void {
  if (!field || field.value || !text) return;
  replaceText(field, text);
  if (field instanceof HTMLInputElement && document.activeElement === field) field.select();
}

/** Replaces the text of a field and dispatches an `input` event, so that hints and errors are updated. */
export function replaceText(
  field: HTMLInputElement | HTMLSelectElement | null | undefined,
  text: string,
): void {
  if (!field) return;
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
