import { useState } from 'react';
import { exportData } from '../../api/personal-data';
import { saveFile } from '../../browser/save-file';
import { Button } from '../../components/button';
import { Failure } from '../../components/failure';
import { Status } from '../../components/notice';
import { Section } from '../../components/section';
import { useReauthenticatedRequest } from '../../features/reauthentication/use-identity-proof';
import { useTranslation } from '../../i18n/use-translation';

/** The section with the button that downloads all data of the account. */
export function DownloadSection() {
  const { t } = useTranslation();
  const { busy, failure, send, dialog } = useReauthenticatedRequest(t('data.download_proof'));
  const [isDone, setIsDone] = useState(false);

  function download() {
    setIsDone(false);
    send(exportData, (file) => {
      saveFile(file);
      setIsDone(true);
    });
  }

  return (
    <Section lead={t('data.download_lead')} title={t('data.download')}>
      {isDone ? <Status>{t('data.download_done')}</Status> : null}
      <Failure fallback={t('data.download_failed')} reason={failure} />
      <Button busy={busy && t('data.download_busy')} variant="secondary" onClick={download}>
        {t('data.download_button')}
      </Button>
      {dialog}
    </Section>
  );
}
