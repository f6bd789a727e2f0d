import { useSyncExternalStore } from 'react';

const subscribeToNothing = () => () => undefined;

/**
 * Returns a value that exists only in the browser. The first render after prerendering returns `serverValue`, as the
 * prerendered page has it. The next render returns `read()`, which must not change while the screen is mounted.
 */
export function useClientValue<Value extends string | number | boolean>(
  read: () => Value,
  serverValue: Value,
): Value {
  return useSyncExternalStore(subscribeToNothing, read, () => serverValue);
}
