import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/**
 * Something that only the browser knows of this visit. The page was drawn without it, so the first
 * render of a page that comes drawn says `unknown`, and the next one says it. `read` gives a value that
 * stays the same while the screen is up.
 */
export function useClientValue<Value extends string | number | boolean>(
  read: () => Value,
  unknown: Value,
): Value {
  return useSyncExternalStore(never, read, () => unknown);
}
