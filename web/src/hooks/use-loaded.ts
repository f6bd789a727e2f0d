import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { OutOfDate } from '../api/client';
import { logFailure } from '../api/message';

/** The state of data that is loaded from the server. */
export type Loaded<Data> =
  | { kind: 'loading' }
  | { kind: 'loaded'; data: Data }
  | { kind: 'failed'; failure: unknown };

type Load<Data> = () => Promise<Data>;

interface Options<Data> {
  onLoaded?: (data: Data) => void;
  /** Returns true if the function has handled the failure, for example by a redirect. Other failures are logged. */
  onFailure?: (failure: unknown) => boolean;
}

const LOADING = { kind: 'loading' } as const;

interface Attempt<Data> {
  load: Load<Data> | null;
  state: Loaded<Data>;
  /** Whether a reload is in progress. During a reload, `state` is the state before the reload. */
  reloading: boolean;
}

/**
 * Loads data when the component mounts, and again when `load` changes, so `load` must be the same function in each
 * render. Null loads nothing. Responses to a previous `load`, or after unmounting, are ignored.
 */
export function useLoaded<Data>(load: Load<Data> | null, options: Options<Data> = {}) {
  const [last, setLast] = useState<Attempt<Data>>({ load, state: LOADING, reloading: false });
  const [reloads, setReloads] = useState(0);
  const onLoaded = useEffectEvent((data: Data) => options.onLoaded?.(data));
  const onFailure = useEffectEvent((failure: unknown) => options.onFailure?.(failure));

  // biome-ignore lint/correctness/useExhaustiveDependencies: `reload()` increments `reloads` to run the effect again
  useEffect(() => {
    if (!load) return;
    let isCurrent = true;
    // During a reload the state does not return to `loading`, so that the components that show the data stay mounted.
    setLast((before) =>
      before.load === load && before.state.kind !== 'loading'
        ? { ...before, reloading: true }
        : { load, state: LOADING, reloading: false },
    );
    load().then(
      (data) => {
        if (!isCurrent) return;
        onLoaded(data);
        setLast({ load, state: { kind: 'loaded', data }, reloading: false });
      },
      (failure: unknown) => {
        if (!isCurrent || onFailure(failure)) return;
        logFailure(failure);
        setLast({ load, state: { kind: 'failed', failure }, reloading: false });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [load, reloads]);

  const reload = useCallback(() => setReloads((count) => count + 1), []);
  /** Changes the loaded data without a reload, after a request that has changed the data on the server. */
  const update = useCallback((change: (data: Data) => Data) => {
    setLast(({ state, ...others }) => ({
      ...others,
      state: state.kind === 'loaded' ? { kind: 'loaded', data: change(state.data) } : state,
    }));
  }, []);

  const { state, reloading }: Attempt<Data> =
    last.load === load ? last : { load, state: LOADING, reloading: false };
  // The error screen offers a reload of the page, because a second attempt to load the data would fail too.
  if (state.kind === 'failed' && state.failure instanceof OutOfDate) throw state.failure;
  return { state, reloading, reload, update };
}
