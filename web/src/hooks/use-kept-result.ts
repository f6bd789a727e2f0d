import { useState } from 'react';
import { useClientValue } from './use-client-value';

/** The result of a flow, as the history state keeps it. The name tells the flows of one URL apart. */
interface KeptResult<Result> {
  name: string;
  result: Result;
}

/**
 * Returns whether this render must equal a page that shows neither the secret of a link nor the result in the history
 * state, as after a reload: the server prerendered the page without the history state. `early/main.ts` hides the page
 * until the screen is mounted.
 */
export const useHydratesWithoutState = (): boolean => useClientValue(isHydrating, keptAtStart);

const isHydrating = () => false;

const keptAtStart =
  typeof document !== 'undefined' && document.documentElement.dataset.link === 'kept';

/** The result of a flow on this screen, which the history state keeps through a reload. It must contain no secret. */
export function useKeptResult<Result>(name: string) {
  const isHydration = useHydratesWithoutState();
  // Undefined until the result changes on this screen.
  const [changed, setChanged] = useState<KeptResult<Result> | null>();
  const kept: KeptResult<Result> | null | undefined = isHydration ? null : history.state?.done;

  function change(done: KeptResult<Result> | null) {
    history.replaceState({ ...history.state, done }, '');
    setChanged(done);
  }
  return {
    /** The result, or null before the end of the flow. */
    done: changed === undefined && kept?.name === name ? kept : (changed ?? null),
    keep: (result: Result) => change({ name, result }),
    forget: () => change(null),
  };
}
