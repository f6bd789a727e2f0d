import { type ComponentType, Suspense, use } from 'react';
import { LoadingIndicator } from './components/loading-indicator';
import { t } from './i18n/texts';
import { Mounted } from './mounted';
import { reloadForNewFiles } from './reload';
import { useKeptLink } from './use-link-token';

export interface Page {
  default: ComponentType;
}
export type Loader<Module = Page> = () => Promise<Module>;

/** A memoised loader. */
export interface OnceLoader<Module = Page> extends Loader<Module> {
  /** Loads in advance. A failure is ignored: the next call tries again. */
  preload(): Promise<void>;
  /** The module that was loaded in advance. */
  preloaded: Module | null;
}

/** A script could not be loaded. The message is translated and shown to the user. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

/**
 * Memoises a loader, including its failure: React calls the loader on each render and would request a missing file in
 * an endless loop. A reload of the page retries.
 */
export function once<Module>(load: Loader<Module>): OnceLoader<Module> {
  let loading: Promise<Module> | null = null;
  const loadOnce: OnceLoader<Module> = Object.assign(
    () => {
      loading ??= load().catch(async (cause: unknown) => {
        await reloadForNewFiles();
        throw new Unreachable(t('common.unreachable'), { cause });
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

/** A screen whose script is loaded when the screen is first opened. */
export function LazyPage({ load }: { load: OnceLoader }) {
  return (
    <Suspense fallback={<LoadingIndicator />}>
      <LoadedPage load={load} />
    </Suspense>
  );
}

function LoadedPage({ load }: { load: OnceLoader }) {
  const { default: Component } = load.preloaded ?? use(load());
  // Remounts the screen if it was prerendered without the link token, because a screen reads the token on mount.
  const key = String(useKeptLink());
  return (
    <Mounted>
      <Component key={key} />
    </Mounted>
  );
}
