import { type ComponentType, Suspense, use, useState } from 'react';
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
  /** The module that was loaded in advance, or null. */
  preloaded: Page | null;
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
 * Memoises the loader of a screen, including its failure. React calls the loader on each render of `LazyPage` and would
 * otherwise request a missing file in an endless loop. After a failure the page is reloaded.
 */
export function once(load: Loader): OnceLoader {
  let loading: Promise<Page> | null = null;
  const loadOnce: OnceLoader = Object.assign(
    () => {
      loading ??= load().catch(async (cause: unknown) => {
        await reloadForNewFiles();
        return throwServerUnreachable(cause);
      });
      return loading;
    },
    {
      preloaded: null,
      preload: () =>
        load().then(
          (module) => {
            loadOnce.preloaded = module;
          },
          () => undefined,
        ),
    },
  );
  return loadOnce;
}

/** A screen whose script is loaded when the screen is first opened. Its title appears at once. */
export function LazyPage({ load, title }: { load: OnceLoader; title: TextKey }) {
  // The state is read only once, because the script may be preloaded between two renders. React requires that a
  // component that has called `use` calls `use` again when the component continues to render.
  const [preloaded] = useState(load.preloaded);
  return (
    <Suspense
      fallback={
        <Card title={t(title)}>
          <LoadingIndicator />
        </Card>
      }
    >
      {preloaded ? <LoadedPage page={preloaded} /> : <AwaitedPage load={load} />}
    </Suspense>
  );
}

function AwaitedPage({ load }: { load: OnceLoader }) {
  return <LoadedPage page={use(load())} />;
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
