import { type ReactNode, useEffect, useState } from 'react';
import { useAnnouncement } from '../../components/announcer';
import { Alert } from '../../components/notice';
import { useTranslation } from '../../i18n/use-translation';

/** The time in milliseconds for which the button shows that the text was copied. */
const SHOWN_MS = 4_000;

interface Copying {
  copy: (text: string) => Promise<void>;
  /** The label that replaces the label of the button for some seconds after copying, else null. */
  copied: ReactNode;
  failure: ReactNode;
}

/** Copies text to the clipboard. The button reports the success, because a message elsewhere may be out of view. */
export function useCopy(): Copying {
  const { t } = useTranslation();
  const [result, setResult] = useState<'copied' | 'failed' | null>(null);
  const isCopied = result === 'copied';
  useAnnouncement(isCopied ? t('second_factor.copied') : null);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setResult(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  async function copy(text: string) {
    try {
      // The browser has no clipboard API outside of secure contexts, and may deny access to the clipboard.
      await navigator.clipboard.writeText(text);
      setResult('copied');
    } catch {
      setResult('failed');
    }
  }

  return {
    copy,
    copied: isCopied ? (
      <>
        {t('second_factor.copied')} <span aria-hidden="true">✓</span>
      </>
    ) : null,
    failure: result === 'failed' ? <Alert>{t('second_factor.copy_failed')}</Alert> : null,
  };
}
