import { type ComponentType, useEffect, useState } from 'react';
import { Card } from '../components/card';
import { LoadingIndicator } from '../components/loading-indicator';
import { useHydratesWithoutState } from '../hooks/use-kept-result';
import { type TextKey, t } from '../i18n/texts';
import { Mounted } from './mounted';
import { recoverFromMissingScript } from './reload';

interface Page {
  default: ComponentType;
}
type Loader<Module = Page> = () => Promise<Module>;

/** Loads the script of a screen. Later calls return the same result. */
export interface OnceLoader extends Loader {
  /** Loads the script in advance. A failure is ignored, because the next call tries again. */
  preload(): Promise<void>;
  /** The loaded module, or null. */
  module: Page | null;
}

/** Loads a script that a mounted screen needs. After a failure, the next call requests the script again. */
export const loadScript = <Module,>(load: Loader<Module>): Promise<Module> =>
  load().catch(recoverFromMissingScript);

/** Requests the script of a screen only once, even if the request fails. */
export function once(load: Loader): OnceLoader {
  let loading: Promise<Page> | null = null;
  const loadModule = async () => {
    loadOnce.module = await load();
    return loadOnce.module;
  };
  const loadOnce: OnceLoader = Object.assign(
    () => {
      loading ??= loadModule().catch(recoverFromMissingScript);
      return loading;
    },
    {
      module: null,
      preload: () => loadModule().then(ignore, ignore),
    },
  );
  return loadOnce;
}

const ignore = () => undefined;

/**
 * A screen whose script is loaded when the user opens it, with its title shown meanwhile. The component does not
 * suspend, because React shows a suspended screen at the earliest 300 ms after its fallback.
 */
export function LazyPage({ load, title }: { load: OnceLoader; title: TextKey }) {
  const [page, setPage] = useState(load.module);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    if (!page) load().then(setPage, setFailure);
  }, [load, page]);
  // The error is thrown during a render, because an error boundary does not catch errors of effects.
  if (failure) throw failure;
  if (page) return <LoadedPage page={page} />;
  return (
    <Card title={t(title)}>
      <LoadingIndicator />
    </Card>
  );
}

function LoadedPage({ page: { default: Component } }: { page: Page }) {
  // The key remounts a screen that was hydrated without the history state, because a screen reads that state on mount.
  const key = String(useHydratesWithoutState());
  return (
    <Mounted>
      <Component key={key} />
    </Mounted>
  );
}
