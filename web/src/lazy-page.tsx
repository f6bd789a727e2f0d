import { type ComponentType, Suspense, use } from 'react';
import { LoadingIndicator } from './components/loading-indicator';
import { t } from './i18n/texts';
import { Mounted } from './mounted';
import { reloadForNewFiles } from './reload';
import { useKeptLink } from './use-link-token';

interface Page {
  default: ComponentType;
}
export type Loader<Module = Page> = () => Promise<Module>;

/** A script could not be loaded. The message is translated and shown to the user. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

/**
 * Memoises a loader, including its failure: React calls the loader on each render and would request a missing file in
 * an endless loop. A reload of the page retries.
 */
export function once<Module>(load: Loader<Module>): Loader<Module> {
  let loading: Promise<Module> | null = null;
  return () => {
    loading ??= load().catch(async (cause: unknown) => {
      await reloadForNewFiles();
      throw new Unreachable(t('common.unreachable'), { cause });
    });
    return loading;
  };
}

/** A screen whose script is loaded when the screen is first opened. */
export function LazyPage({ load }: { load: Loader }) {
  return (
    <Suspense fallback={<LoadingIndicator />}>
      <Loaded load={load} />
    </Suspense>
  );
}

function Loaded({ load }: { load: Loader }) {
  const { default: Component } = use(load());
  // Remounts the screen if it was prerendered without the link token, because a screen reads the token on mount.
  const key = String(useKeptLink());
  return (
    <Mounted>
      <Component key={key} />
    </Mounted>
  );
}
