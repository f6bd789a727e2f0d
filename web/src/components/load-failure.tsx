import { useLayoutEffect, useRef } from 'react';
import { useTranslation } from '../i18n/use-translation';
import { Button } from './button';
import type { Elements } from './elements';

interface LoadFailureProps {
  /** The error message, which is removed during a reload, so that screen readers announce the next error message. */
  children: Elements;
  reloading: boolean;
  onReload: () => void;
  variant?: 'primary' | 'secondary';
}

/** The error message for data that could not be loaded, with a button that loads the data again. */
export function LoadFailure(props: LoadFailureProps) {
  const { children, reloading, onReload, variant = 'secondary' } = props;
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
        onClick={onReload}
        ref={button}
        variant={variant}
      >
        {t('common.try_again')}
      </Button>
    </>
  );
}
