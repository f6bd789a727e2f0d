import { useId, useLayoutEffect, useRef, useState } from 'react';
import type { ProofMethod } from '../../api/client';
import { Button } from '../../components/button';
import { Failure } from '../../components/failure';
import { Icon } from '../../components/icon';
import { Status } from '../../components/notice';
import notice from '../../components/notice.module.css';
import { useRequest } from '../../forms/use-request';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { useIdentityProof } from '../reauthentication/use-identity-proof';
import styles from './reset-banner.module.css';

interface ResetBannerProps {
  /** The time at which the server will remove the second factor (RFC 3339). */
  at: string;
  /** Whether the account has an authenticator app. */
  app: boolean;
  /** Whether the account has a passkey. */
  passkey: boolean;
}

/**
 * Warns of a pending reset of the second factor, with a button that cancels the reset. The server requires a passkey or
 * a second-factor code for the cancellation.
 */
export function ResetBanner({ at, app, passkey }: ResetBannerProps) {
  const { t } = useTranslation();
  const { formatDate } = useTimeFormat();
  const title = useId();
  const { prove, onFailure, dialog } = useIdentityProof();
  const { busy, failure, send } = useRequest(onFailure);
  const [isCancelled, setIsCancelled] = useState(false);
  const message = useRef<HTMLDivElement>(null);

  // The focus moves to the message, because the focused button was removed.
  useLayoutEffect(() => {
    if (isCancelled) message.current?.focus();
  }, [isCancelled]);

  function keepSecondFactor() {
    const methods: ProofMethod[] = passkey ? ['passkey'] : [];
    if (app) methods.push('password', 'totp');
    send(
      () => prove(methods, t('second_factor.keep_lead')),
      () => setIsCancelled(true),
    );
  }

  if (isCancelled) {
    return (
      <div ref={message} tabIndex={-1}>
        <Status>{t('second_factor.kept')}</Status>
      </div>
    );
  }
  return (
    <section aria-labelledby={title} className={`${notice.notice} ${notice.danger}`}>
      <Icon shape="warn" />
      <div className={styles.content}>
        <h2 id={title}>{t('activity.second_factor_reset_requested')}</h2>
        <p>{t('second_factor.reset_from', { date: formatDate(Date.parse(at)) })}</p>
        <Failure fallback={t('second_factor.failed')} reason={failure} />
        <Button disabled={busy} variant="danger" onClick={keepSecondFactor}>
          {t('second_factor.keep')}
        </Button>
        {dialog}
      </div>
    </section>
  );
}
