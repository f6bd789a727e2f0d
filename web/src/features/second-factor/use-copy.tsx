import { type ReactNode, useState } from 'react';
import { Alert, Status } from '../../components/notice';
import { useTranslation } from '../../i18n/use-translation';

/** Copies text to the clipboard. `result` shows whether the last copy succeeded. Null if nothing was copied yet. */
export function useCopy(): { copy: (text: string) => Promise<void>; result: ReactNode } {
  const { t } = useTranslation();
  const [copied, setCopied] = useState<boolean | null>(null);

  async function copy(text: string) {
    try {
      // The browser has no clipboard outside of secure contexts, and may deny access to the clipboard.
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      setCopied(false);
    }
  }

  const Notice = copied ? Status : Alert;
  const result =
    copied === null ? null : (
      <Notice key={String(copied)}>
        <p>{t(copied ? 'second_factor.copied' : 'second_factor.copy_failed')}</p>
      </Notice>
    );
  return { copy, result };
}
