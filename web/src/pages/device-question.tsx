import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Confirmed, confirmDevice } from '../api/verification';
import { Button } from '../components/button';
import { Failure } from '../components/failure';
import { useRequest } from '../forms/use-request';
import { useTimeFormat } from '../use-time-format';
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
  const { formatDateTime } = useTimeFormat();
  const { busy, failure, send } = useRequest();
  // Which of the two was pressed. Both rest until it is answered: there is one decision at a time.
  const [approving, setApproving] = useState(true);
  const wait = busy && t('common.loading');

  function answer(approve: boolean) {
    send(() => {
      setApproving(approve);
      return confirmDevice(token, approve);
    }, onAnswer);
  }

  return (
    <div className={styles.actions}>
      <p role="status">{t('email_verification.device_text')}</p>
      {device ? (
        <dl className={styles.asked}>
          <dt>{device}</dt>
          <dd>{at === null ? null : formatDateTime(at)}</dd>
        </dl>
      ) : null}
      <Failure
        fallback={t('error.internal')}
        own={{ invalid_token: t('email_verification.device_expired') }}
        reason={failure}
      />
      <Button busy={approving && wait} disabled={busy} onClick={() => answer(true)}>
        {t('email_verification.device_yes')}
      </Button>
      <Button
        busy={!approving && wait}
        disabled={busy}
        look="secondary"
        onClick={() => answer(false)}
      >
        {t('email_verification.device_no')}
      </Button>
    </div>
  );
}
