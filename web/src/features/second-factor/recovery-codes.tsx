import { currentUser } from '../../api/session';
import { saveFile } from '../../browser/save-file';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import type { Elements } from '../../components/elements';
import { Status } from '../../components/notice';
import { useConfig } from '../../config';
import { useEmail } from '../../hooks/use-email';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import styles from './recovery-codes.module.css';
import { useCopy } from './use-copy';
import { useTemporaryLabel } from './use-temporary-label';
import { useUnloadWarning } from './use-unload-warning';

interface RecoveryCodesProps {
  codes: readonly string[];
  /** The message about the action that has created the recovery codes. */
  done: string;
  onSaved: () => void;
  /** Set if older recovery codes exist, which are replaced when the user has saved these codes. */
  replacement?: {
    busy: boolean;
    /** The error message if the older recovery codes could not be replaced. */
    failure: Elements;
    /** Called if the user keeps the older recovery codes. */
    onKeep: () => void;
  };
}

/** Shows recovery codes, which the user can download, copy or print. The server cannot show these codes again. */
export function RecoveryCodes({ codes, done, onSaved, replacement }: RecoveryCodesProps) {
  const { t } = useTranslation();
  const { brand } = useConfig().region;
  const { formatDate } = useTimeFormat();
  const { copy, copied, failure } = useCopy();
  const email = useEmail(currentUser);
  const title = t('second_factor.codes_title');
  const lines = codes.join('\n');
  // If older recovery codes exist, they stay valid, so the user may leave the page without a warning.
  const stopWarning = useUnloadWarning(replacement ? null : t('second_factor.codes_leave'));
  const downloaded = useTemporaryLabel(t('second_factor.downloaded'));

  /** The text file also contains the brand, the URL, the email address and the date. */
  function download() {
    const head = [brand, location.origin, email, formatDate(Date.now())].filter(Boolean);
    const text = [...head, '', title, '', lines, ''].join('\n');
    const content = new Blob([text], { type: 'text/plain;charset=utf-8' });
    saveFile({ name: `recovery-codes-${location.hostname}.txt`, content });
    downloaded.show();
    // The codes are saved, so the user may leave the page without a warning.
    stopWarning();
  }

  async function handleSaved() {
    // If the codes replace no older codes, no request follows that could fail, so the warning ends here.
    if (!replacement) await stopWarning();
    onSaved();
  }

  return (
    <Card key="codes" title={title}>
      <p className={styles.brand}>{brand}</p>
      <div className={styles.screen}>
        <Status neutral={replacement !== undefined}>{done}</Status>
        <p>{t('second_factor.codes_lead')}</p>
      </div>
      <ul className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.screen}>
        <div className={styles.copies}>
          <Button variant="secondary" onClick={download}>
            {downloaded.label ?? t('second_factor.download')}
          </Button>
          <Button variant="secondary" onClick={() => copy(lines)}>
            {copied ?? t('second_factor.copy')}
          </Button>
        </div>
        {failure}
        {replacement?.failure}
        <Button busy={replacement?.busy && t('second_factor.saved_busy')} onClick={handleSaved}>
          {t('second_factor.saved')}
        </Button>
        {replacement ? (
          <Button disabled={replacement.busy} variant="secondary" onClick={replacement.onKeep}>
            {t('second_factor.keep_codes')}
          </Button>
        ) : null}
      </div>
    </Card>
  );
}
