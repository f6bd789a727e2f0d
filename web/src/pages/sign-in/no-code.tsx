import { useCallback, useRef, useState } from 'react';
import { isRefusal } from '../../api/client';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import { Failure } from '../../components/failure';
import { Status } from '../../components/notice';
import { LostFactor } from '../../features/second-factor/lost-factor';
import { useTimeFormat } from '../../hooks/use-time-format';
import type { TextKey } from '../../i18n/texts';
import { useTranslation } from '../../i18n/use-translation';
import { DeviceChoice } from './device-choice';
import { PasskeyButton } from './passkey-button';
import styles from './sign-in.module.css';
import { StepLink } from './step-link';
import type { SecondStep } from './use-sign-in';

interface NoCodeProps {
  step: SecondStep;
  /** The token of the error `second_factor_required`, which proves that the password was correct. */
  token: string;
  onSuccess: () => void;
  /** Called if the user wants to enter a recovery code. */
  onRecoveryCode: () => void;
  /** Returns to the password form. `reason` is the key of its message, or null. */
  onBack: (reason: TextKey | null) => void;
  /** Called with the date on which the server will reset the second factor. */
  onReset: (at: string) => void;
}

/** What the user can do without the authenticator app: use a recovery code or a passkey, or reset the second factor. */
export function NoCode({ step, token, onSuccess, onRecoveryCode, onBack, onReset }: NoCodeProps) {
  const { t } = useTranslation();
  const { methods, passkey, reset_at } = step.refusal;
  const { formatDate } = useTimeFormat();
  const [busy, setBusy] = useState(false);

  function leaveIfExpired(reason: unknown): boolean {
    const isExpired = isRefusal(reason, 'invalid_token');
    if (isExpired) onBack('error.sign_in_expired');
    return isExpired;
  }

  return (
    <Card key="no_code" lead={t('sign_in.no_code_lead')} title={t('sign_in.no_code_title')}>
      <div className={styles.part}>
        {passkey ? <PasskeySignIn inactive={busy} onBack={onBack} onSuccess={onSuccess} /> : null}
        {methods.includes('recovery_code') ? (
          <Button disabled={busy} variant="secondary" onClick={onRecoveryCode}>
            {t('sign_in.use_recovery_code')}
          </Button>
        ) : null}
      </div>
      <hr className={styles.divider} />
      <div className={styles.part}>
        <h2>{t('sign_in.reset_question')}</h2>
        {reset_at ? (
          <p>{t('sign_in.reset_running', { date: formatDate(Date.parse(reset_at)) })}</p>
        ) : (
          <LostFactor
            lost="code"
            onBusy={setBusy}
            onFailure={leaveIfExpired}
            onRequested={onReset}
            token={token}
          />
        )}
      </div>
      <div className={styles.links}>
        <StepLink disabled={busy} onClick={() => onBack(null)}>
          {t('email_verification.back')}
        </StepLink>
      </div>
    </Card>
  );
}

interface PasskeySignInProps extends Pick<NoCodeProps, 'onBack' | 'onSuccess'> {
  /** Whether the reset of the second factor is being requested. */
  inactive: boolean;
}

/** The sign-in with a passkey, which needs no code. */
function PasskeySignIn({ inactive, onBack, onSuccess }: PasskeySignInProps) {
  const { t } = useTranslation();
  const [failure, setFailure] = useState<unknown>(null);
  const [isCancelled, setIsCancelled] = useState(false);
  /** The name of the device that the user has signed out, because too many devices were signed in. */
  const [freedDevice, setFreedDevice] = useState<string | null>(null);
  const part = useRef<HTMLDivElement>(null);
  const showCancelled = useCallback(() => setIsCancelled(true), []);

  function forget() {
    setFailure(null);
    setIsCancelled(false);
    setFreedDevice(null);
  }

  return (
    <div className={styles.part} ref={part}>
      {isRefusal(failure, 'too_many_devices') ? (
        <DeviceChoice
          failure={failure}
          onExpired={() => onBack('sign_in.devices_expired')}
          onSlotFreed={(device) => {
            forget();
            setFreedDevice(device);
            part.current?.querySelector<HTMLElement>('[data-passkeys] button')?.focus();
          }}
        />
      ) : (
        <Failure fallback={t('error.passkey_rejected')} reason={failure} />
      )}
      {freedDevice ? <Status>{t('sign_in.device_gone', { device: freedDevice })}</Status> : null}
      {isCancelled ? <Status neutral>{t('sign_in.passkey_cancelled')}</Status> : null}
      <PasskeyButton
        inactive={inactive}
        onCancelled={showCancelled}
        onFailure={setFailure}
        onStart={forget}
        onSuccess={onSuccess}
      />
    </div>
  );
}
