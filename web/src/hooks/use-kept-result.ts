import { useState } from 'react';
import { useClientValue } from './use-client-value';

/** The result of a flow in the history state. `name` distinguishes the flows that have the same URL. */
interface KeptResult<Result> {
  name: string;
  result: Result;
}

/**
 * Returns whether this render is the hydration of a page that the server has prerendered without the history state (the
 * secret of a mailed link, or a result), as after a reload. The render must equal that page, which stays hidden until
 * the screen is mounted (`early/main.ts`).
 */
export const useHydratesWithoutState = (): boolean => useClientValue(isHydrating, keptAtStart);

const isHydrating = () => false;

const keptAtStart =
  typeof document !== 'undefined' && document.documentElement.dataset.link === 'kept';

/** The result of a flow, stored without secrets in the history state, which survives a reload. */
export function useKeptResult<Result>(name: string) {
  const isHydration = useHydratesWithoutState();
  // Undefined means that the result has not changed since the screen was mounted.
  const [changed, setChanged] = useState<KeptResult<Result> | null>();
  const kept: KeptResult<Result> | null | undefined = isHydration ? null : history.state?.done;

  function change(done: KeptResult<Result> | null) {
    history.replaceState({ ...history.state, done }, '');
    setChanged(done);
  }
  return {
    /** The result, or null if the flow has not ended. */
    done: changed === undefined && kept?.name === name ? kept : (changed ?? null),
    keep: (result: Result) => change({ name, result }),
    forget: () => change(null),
  };
}
