import { useCallback, useEffect, useRef, useState } from 'react';
import { logFailure } from '../api/message';

/** The state of data that is loaded from the server. */
export type Loaded<Data> =
  | { kind: 'loading' }
  | { kind: 'loaded'; data: Data }
  | { kind: 'failed'; failure: unknown };

type Load<Data> = () => Promise<Data>;

interface Options<Data> {
  onLoaded?: (data: Data) => void;
  /** Returns true for a failure that the function has handled, for example by a redirect. Other failures are logged. */
  onFailure?: (failure: unknown) => boolean;
}

const LOADING = { kind: 'loading' } as const;

interface Attempt<Data> {
  load: Load<Data> | null;
  state: Loaded<Data>;
  /** Whether a reload is in progress. During a reload, `state` is that of the previous load. */
  reloading: boolean;
}

/**
 * Loads data when the component mounts, and again when `load` changes, so `load` must be the same function in each
 * render. If `load` is null, nothing is loaded. Responses to an earlier `load`, or after unmounting, are ignored.
 */
export function useLoaded<Data>(load: Load<Data> | null, options: Options<Data> = {}) {
  const [last, setLast] = useState<Attempt<Data>>({ load, state: LOADING, reloading: false });
  const [reloads, setReloads] = useState(0);
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: `reload()` increments `reloads` to run the effect again
  useEffect(() => {
    if (!load) return;
    let isCurrent = true;
    // The state stays `loaded` or `failed` during a reload, so that the components that show the state stay mounted.
    setLast((before) =>
      before.load === load && before.state.kind !== 'loading'
        ? { ...before, reloading: true }
        : { load, state: LOADING, reloading: false },
    );
    load().then(
      (data) => {
        if (!isCurrent) return;
        latest.current.onLoaded?.(data);
        setLast({ load, state: { kind: 'loaded', data }, reloading: false });
      },
      (failure: unknown) => {
        if (!isCurrent || latest.current.onFailure?.(failure)) return;
        logFailure(failure);
        setLast({ load, state: { kind: 'failed', failure }, reloading: false });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [load, reloads]);

  const reload = useCallback(() => setReloads((count) => count + 1), []);
  /** Changes the loaded data after a request that has changed the same data on the server. */
  const update = useCallback((change: (data: Data) => Data) => {
    setLast(({ state, ...others }) => ({
      ...others,
      state: state.kind === 'loaded' ? { kind: 'loaded', data: change(state.data) } : state,
    }));
  }, []);

  const { state, reloading }: Attempt<Data> =
    last.load === load ? last : { load, state: LOADING, reloading: false };
  return { state, reloading, reload, update };
}
