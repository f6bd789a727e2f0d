import { useSyncExternalStore } from 'react';

const subscribeToNothing = () => () => undefined;

/**
 * Returns a value that is only available in the browser. The hydration render returns `serverValue`, as the
 * prerendered page did. The next render returns the value of `read`, which must not change while the screen is mounted.
 */
export function useClientValue<Value extends string | number | boolean>(
  read: () => Value,
  serverValue: Value,
): Value {
  return useSyncExternalStore(subscribeToNothing, read, () => serverValue);
}
