import { type ReactNode, useState } from 'react';
import type { Elements } from '../../components/elements';
import { Alert } from '../../components/notice';
import { useTranslation } from '../../i18n/use-translation';
import { useTemporaryLabel } from './use-temporary-label';

interface Copying {
  copy: (text: string) => Promise<void>;
  /** The label that replaces the label of the button for some seconds after copying, else null. */
  copied: ReactNode;
  failure: Elements;
}

/** Copies text to the clipboard. */
export function useCopy(): Copying {
  const { t } = useTranslation();
  const [isFailed, setIsFailed] = useState(false);
  const { label, show } = useTemporaryLabel(t('second_factor.copied'));

  async function copy(text: string) {
    try {
      // The browser has no clipboard API outside of secure contexts, and may deny access to the clipboard.
      await navigator.clipboard.writeText(text);
      setIsFailed(false);
      show();
    } catch {
      setIsFailed(true);
    }
  }

  return {
    copy,
    copied: label,
    failure: isFailed ? <Alert>{t('second_factor.copy_failed')}</Alert> : null,
  };
}
