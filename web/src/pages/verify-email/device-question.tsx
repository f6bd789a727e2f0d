import { useState } from 'react';
import { type Confirmed, confirmDevice } from '../../api/verification';
import { Button } from '../../components/button';
import { Failure } from '../../components/failure';
import { handleSpentLink } from '../../forms/spent-link';
import { useRequest } from '../../forms/use-request';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import styles from './verify-email.module.css';

interface DeviceQuestionProps {
  token: string;
  /** The name of the browser that has requested the sign-in, for example "Firefox · Windows". */
  device: string | null;
  /** The time of the sign-in request, in milliseconds since 1970. */
  at: number | null;
  onDecision: (confirmed: Confirmed) => void;
  /** Called if the mailed link is no longer valid. */
  onSpent: (failure: unknown) => void;
}

/** Asks whether the user has requested a sign-in on a new device. The answer approves or rejects the device. */
export function DeviceQuestion({ token, device, at, onDecision, onSpent }: DeviceQuestionProps) {
  const { t } = useTranslation();
  const { formatDateTime } = useTimeFormat();
  const { busy, failure, send } = useRequest(handleSpentLink('token', onSpent));
  // Whether the request in progress approves the device, and the approve button therefore shows the progress.
  const [isApproving, setIsApproving] = useState(true);
  const wait = busy && t('common.loading');

  function answer(approve: boolean) {
    send(() => {
      setIsApproving(approve);
      return confirmDevice(token, approve);
    }, onDecision);
  }

  return (
    <div className={styles.actions}>
      <p role="status">{t('email_verification.device_text')}</p>
      {device ? (
        <dl className={styles.facts}>
          <dt>{device}</dt>
          <dd>{at === null ? null : formatDateTime(at)}</dd>
        </dl>
      ) : null}
      <Failure fallback={t('error.internal')} reason={failure} />
      <Button busy={isApproving && wait} disabled={busy} onClick={() => answer(true)}>
        {t('was_this_you.yes')}
      </Button>
      <Button
        busy={!isApproving && wait}
        disabled={busy}
        variant="secondary"
        onClick={() => answer(false)}
      >
        {t('was_this_you.no')}
      </Button>
    </div>
  );
}
