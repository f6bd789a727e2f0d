import { saveFile } from '../../browser/save-file';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import { Status } from '../../components/notice';
import { useConfig } from '../../config';
import { useTranslation } from '../../i18n/use-translation';
import styles from './recovery-codes.module.css';
import { useCopy } from './use-copy';

interface RecoveryCodesProps {
  codes: readonly string[];
  /** The message about the action that created the recovery codes. */
  done: string;
  onSaved: () => void;
}

/** The recovery codes, which are shown only once and which the user can download, copy or print. */
export function RecoveryCodes({ codes, done, onSaved }: RecoveryCodesProps) {
  const { t } = useTranslation();
  const { brand } = useConfig().region;
  const { copy, result } = useCopy();
  const title = t('second_factor.codes_title');
  const lines = codes.join('\n');

  return (
    <Card key="codes" title={title}>
      <p className={styles.brand}>{brand}</p>
      <div className={styles.screen}>
        {result ?? (
          <Status>
            <p>{done}</p>
          </Status>
        )}
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
          <Button variant="secondary" onClick={() => download(`${brand}\n${title}\n\n${lines}\n`)}>
            {t('second_factor.download')}
          </Button>
          <Button variant="secondary" onClick={() => copy(lines)}>
            {t('second_factor.copy')}
          </Button>
        </div>
        <Button onClick={onSaved}>{t('second_factor.saved')}</Button>
      </div>
    </Card>
  );
}

/** Saves a text file, named after the site. */
function download(text: string): void {
  const content = new Blob([text], { type: 'text/plain;charset=utf-8' });
  saveFile({ name: `recovery-codes-${location.hostname}.txt`, content });
}
