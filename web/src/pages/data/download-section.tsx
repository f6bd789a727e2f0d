import { useId, useState } from 'react';
import { exportData } from '../../api/personal-data';
import { Button } from '../../components/button';
import { Failure } from '../../components/failure';
import { Status } from '../../components/notice';
import { useTranslation } from '../../i18n/use-translation';
import { useReauthenticatedRequest } from '../../reauthentication/use-reauthenticated-request';
import { saveFile } from '../../save-file';
import styles from '../security/security.module.css';

/** Downloads everything that the account holds. */
export function DownloadSection() {
  const { t } = useTranslation();
  const title = useId();
  const { busy, failure, send, dialog } = useReauthenticatedRequest(t('data.download_proof'));
  const [done, setDone] = useState(false);

  function download() {
    setDone(false);
    send(exportData, (file) => {
      saveFile(file);
      setDone(true);
    });
  }

  return (
    <section aria-labelledby={title} className={styles.section}>
      <div>
        <h2 id={title}>{t('data.download')}</h2>
        <p className={styles.lead}>{t('data.download_lead')}</p>
      </div>
      {done ? (
        <Status>
          <p>{t('data.download_done')}</p>
        </Status>
      ) : null}
      <Failure fallback={t('data.download_failed')} reason={failure} />
      <Button busy={busy && t('data.download_busy')} variant="secondary" onClick={download}>
        {t('data.download_button')}
      </Button>
      {dialog}
    </section>
  );
}
