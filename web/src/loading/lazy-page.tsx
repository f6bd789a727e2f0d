import { type ComponentType, useEffect, useState } from 'react';
import { Unreachable } from '../api/client';
import { Card } from '../components/card';
import { LoadingIndicator } from '../components/loading-indicator';
import { useHydratesWithoutState } from '../hooks/use-kept-result';
import { type TextKey, t } from '../i18n/texts';
import { Mounted } from './mounted';
import { reloadForNewFiles } from './reload';

interface Page {
  default: ComponentType;
}
type Loader<Module = Page> = () => Promise<Module>;

/** Loads the script of a screen once and memoises the result. */
export interface OnceLoader extends Loader {
  /** Loads the script in advance, and ignores a failure, because the next call tries again. */
  preload(): Promise<void>;
  /** The loaded module, or null. */
  module: Page | null;
}

/**
 * Loads a script that a mounted screen needs. The next call after a failure requests the script again. The page is not
 * reloaded, because a reload loses the typed texts.
 */
export const loadScript = <Module,>(load: Loader<Module>): Promise<Module> =>
  load().catch(throwServerUnreachable);

/** The error for a missing script. The message is translated, because the error screen shows the message. */
function throwServerUnreachable(cause: unknown): never {
  throw new Unreachable(t('common.unreachable'), { cause });
}

/**
 * Memoises the loader of a screen, including its failure, so that a missing file is requested once. After a failure the
 * page is reloaded.
 */
export function once(load: Loader): OnceLoader {
  let loading: Promise<Page> | null = null;
  const loadModule = async () => {
    loadOnce.module = await load();
    return loadOnce.module;
  };
  const loadOnce: OnceLoader = Object.assign(
    () => {
      loading ??= loadModule().catch(async (cause: unknown) => {
        await reloadForNewFiles();
        return throwServerUnreachable(cause);
      });
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
 * A screen whose script is loaded when the screen is first opened. Its title appears at once. The component does not
 * suspend, because React would show the loaded screen 300 ms after the title at the earliest.
 */
export function LazyPage({ load, title }: { load: OnceLoader; title: TextKey }) {
  const [page, setPage] = useState(load.module);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    if (!page) load().then(setPage, setFailure);
  }, [load, page]);
  // The error boundary catches the errors of a render, but not those of an effect.
  if (failure) throw failure;
  if (page) return <LoadedPage page={page} />;
  return (
    <Card title={t(title)}>
      <LoadingIndicator />
    </Card>
  );
}

function LoadedPage({ page: { default: Component } }: { page: Page }) {
  // The key remounts a screen that was prerendered without the history state, because a screen reads it on mount.
  const key = String(useHydratesWithoutState());
  return (
    <Mounted>
      <Component key={key} />
    </Mounted>
  );
}
