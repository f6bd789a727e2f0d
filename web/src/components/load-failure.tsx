import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useTranslation } from '../i18n/use-translation';
import { Button } from './button';

interface LoadFailureProps {
  /** The error message. It is removed during a reload, so that screen readers announce the next one. */
  children: ReactNode;
  reloading: boolean;
  onReload: () => void;
  variant?: 'primary' | 'secondary';
}

/** Data could not be loaded: the message, and a button that loads them again. */
export function LoadFailure(props: LoadFailureProps) {
  const { children, reloading, onReload, variant = 'secondary' } = props;
  const { t } = useTranslation();
  const button = useRef<HTMLButtonElement>(null);

  // The loaded data replace the focused button: the focus moves to their heading.
  useLayoutEffect(() => {
    const removed = button.current;
    return () => {
      if (!removed || removed !== document.activeElement) return;
      removed.closest('section')?.querySelector<HTMLElement>('h1, h2')?.focus();
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
