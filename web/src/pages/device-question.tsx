import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { report, sentenceOf } from '../api/message';
import { type Confirmed, confirmDevice } from '../api/verification';
import { Button } from '../components/button';
import { Alert } from '../components/notice';
import { useMoments } from '../use-moments';
import styles from './verify-email.module.css';

interface DeviceQuestionProps {
  token: string;
  /** The browser that asked, in the words of the server. */
  device: string | null;
  /** When it asked, in milliseconds since 1970. */
  at: number | null;
  onAnswer: (confirmed: Confirmed) => void;
}

/** "Was this you?": a sign-in from elsewhere waits for the word of the account's owner. */
export function DeviceQuestion({ token, device, at, onAnswer }: DeviceQuestionProps) {
  const { t } = useTranslation();
  const { momentOf } = useMoments();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  async function answer(approve: boolean) {
    setBusy(true);
    setFailure(null);
    try {
      onAnswer(await confirmDevice(token, approve));
    } catch (reason) {
      report(reason);
      setFailure(sentenceOf(reason, t('error.internal')));
      setBusy(false);
    }
  }

  return (
    <div className={styles.actions}>
      <p role="status">{t('answer.device_pending')}</p>
      {device ? (
        <dl className={styles.asked}>
          <dt>{device}</dt>
          <dd>{at === null ? null : momentOf(at)}</dd>
        </dl>
      ) : null}
      {failure ? (
        <Alert>
          <p>{failure}</p>
        </Alert>
      ) : null}
      <Button busy={busy && t('common.loading')} onClick={() => answer(true)}>
        {t('email_verification.device_yes')}
      </Button>
      <Button look="secondary" onClick={() => answer(false)}>
        {t('email_verification.device_no')}
      </Button>
    </div>
  );
}
