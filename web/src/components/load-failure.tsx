import { useLayoutEffect, useRef } from 'react';
import type { useLoaded } from '../hooks/use-loaded';
import { useTranslation } from '../i18n/use-translation';
import { Button } from './button';
import type { Elements } from './elements';
import { LoadingIndicator } from './loading-indicator';
import { Alert } from './notice';

/** Data that are loaded and can be loaded again. */
export type Loading<Data> = Pick<
  ReturnType<typeof useLoaded<Data>>,
  'state' | 'reloading' | 'reload'
>;

interface WhenLoadedProps<Data> extends Loading<Data> {
  /** The text of the loading indicator. Without a text, the data are those of a whole screen. */
  loading?: string;
  /** The error message. */
  failed: string;
  children: (data: Data) => Elements;
}

/** Shows data as soon as they are loaded. */
export function WhenLoaded<Data>(props: WhenLoadedProps<Data>) {
  const { state, loading, failed, children, ...again } = props;
  if (state.kind === 'loading') return <LoadingIndicator>{loading}</LoadingIndicator>;
  if (state.kind === 'loaded') return children(state.data);
  return (
    <LoadFailure {...again} variant={loading ? 'secondary' : 'primary'}>
      <Alert>{failed}</Alert>
    </LoadFailure>
  );
}

interface LoadFailureProps extends Omit<Loading<unknown>, 'state'> {
  /** The error message, which is removed during a reload, so that screen readers announce the next error message. */
  children: Elements;
  variant?: 'primary' | 'secondary';
}

/** The error message for data that could not be loaded, with a button that loads the data again. */
export function LoadFailure(props: LoadFailureProps) {
  const { children, reloading, reload, variant = 'primary' } = props;
  const { t } = useTranslation();
  const button = useRef<HTMLButtonElement>(null);

  // If this button is focused when the loaded data replace it, the focus moves to the heading of the section.
  useLayoutEffect(() => {
    const removedButton = button.current;
    return () => {
      if (!removedButton || removedButton !== document.activeElement) return;
      removedButton.closest('section')?.querySelector<HTMLElement>('h1, h2')?.focus();
    };
  }, []);

  return (
    <>
      {reloading ? null : children}
      <Button
        busy={reloading && t('common.loading')}
        onClick={reload}
        ref={button}
        variant={variant}
      >
        {t('common.try_again')}
      </Button>
    </>
  );
}
