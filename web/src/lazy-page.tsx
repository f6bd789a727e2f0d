import i18next from 'i18next';
import { type ComponentType, Suspense, use } from 'react';
import { Waiting } from './components/waiting';

interface Page {
  default: ComponentType;
}
type Loader = () => Promise<Page>;

/** A screen whose code could not be had: the message is for people, in their language. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

/** Remembers what was loaded. Unlike with `React.lazy`, the next try asks again for what failed. */
export function once(load: Loader): Loader {
  let loading: Promise<Page> | null = null;
  return () => {
    loading ??= load().catch((cause: unknown) => {
      loading = null;
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
  return <Component />;
}
