import i18next from 'i18next';
import { type ComponentType, Suspense, use } from 'react';
import { Waiting } from './components/waiting';
import { Mounted } from './mounted';
import { reloadForNewFiles } from './reload';
import { useKeptLink } from './use-link-token';

interface Page {
  default: ComponentType;
}
type Loader = () => Promise<Page>;

/** A screen whose code could not be had: the message is for people, in their language. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

/**
 * Loads at most once, and keeps a failure, too: React asks again with each render, and would never stop asking for
 * a file that is not there. The way out of a failure is a reload of the page.
 */
export function once(load: Loader): Loader {
  let loading: Promise<Page> | null = null;
  return () => {
    loading ??= load().catch(async (cause: unknown) => {
      await reloadForNewFiles();
      throw new Unreachable(i18next.t('common.unreachable'), { cause });
    });
    return loading;
  };
}

/** A page whose code comes when somebody goes there. */
export function LazyPage({ load }: { load: Loader }) {
  return (
    <Suspense fallback={<Waiting />}>
      <Loaded load={load} />
    </Suspense>
  );
}

function Loaded({ load }: { load: Loader }) {
  const { default: Component } = use(load());
  // Anew where the drawing lacks the link: a screen reads it when it is mounted.
  const key = String(useKeptLink());
  return (
    <Mounted>
      <Component key={key} />
    </Mounted>
  );
}
