import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { isRefusal } from '../../api/client';
import { isDeviceApproved } from '../../api/device-approval';
import { errorMessageOf, waitingSecondsOf } from '../../api/message';
import { resendVerification } from '../../api/registration';
import { interruptedSignIn } from '../../browser/interrupted-sign-in';
import { onVerification } from '../../browser/verification-signal';
import { Button } from '../../components/button';
import { ContactLink } from '../../components/contact-link';
import { Failure } from '../../components/failure';
import { Alert, Status } from '../../components/notice';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { DeviceChoice } from './device-choice';
import { Door } from './door';
import { PopcornBreak } from './popcorn-break';
import styles from './sign-in.module.css';

/** The interval in milliseconds between the requests that check whether the device was approved. */
const POLLING_INTERVAL_MS = 5000;

/** The duration in milliseconds of the animation before the sign-in is repeated. */
const DOOR_MS = 600;

export interface StoppedSignInProps {
  /** The error that stopped the sign-in. */
  reason: unknown;
  /** Returns the email address that the user has typed. */
  email: () => string;
  /** Repeats the sign-in. */
  onRepeat: () => void;
  /** Called with the name of the device that the user has signed out, because too many devices were signed in. */
  onSlotFreed: (device: string) => void;
  /** Called if the token for signing a device out has expired. */
  onExpired: () => void;
}

/** Explains why the server has stopped a sign-in, for example by a rate limit, and what the user can do. */
export function StoppedSignIn(props: StoppedSignInProps) {
  const { reason, onSlotFreed, onExpired } = props;
  const { t } = useTranslation();
  const container = useRef<HTMLDivElement>(null);
  const [isNotApproved, setIsNotApproved] = useState(false);
  useLayoutEffect(() => container.current?.focus(), []);
  const seconds = waitingSecondsOf(reason);
  if (seconds !== null) return <PopcornBreak seconds={seconds} />;
  if (isRefusal(reason, 'rate_limited')) {
    return <Alert ref={container}>{errorMessageOf(reason, '')}</Alert>;
  }
  if (isRefusal(reason, 'too_many_devices')) {
    return <DeviceChoice failure={reason} onExpired={onExpired} onSlotFreed={onSlotFreed} />;
  }

  function endWaiting() {
    // The focused button is removed.
    if (container.current?.contains(document.activeElement)) container.current.focus();
    setIsNotApproved(true);
  }
  return (
    <div ref={container} tabIndex={-1}>
      {isNotApproved ? (
        <Alert>{t('sign_in.not_approved')}</Alert>
      ) : (
        <Status neutral>
          <p>{errorMessageOf(reason, '')}</p>
          <NextStep {...props} onNotApproved={endWaiting} />
        </Status>
      )}
    </div>
  );
}

interface NextStepProps extends StoppedSignInProps {
  onNotApproved: () => void;
}

function NextStep({ reason, email, onRepeat, onNotApproved }: NextStepProps): ReactNode {
  if (isRefusal(reason, 'email_not_verified')) return <Resend email={email} />;
  if (isRefusal(reason, 'account_disabled')) return <ContactLink />;
  if (isRefusal(reason, 'new_device')) {
    const { approval } = reason.refusal;
    return (
      <Waiting
        approval={approval}
        email={email}
        onApproved={onRepeat}
        onNotApproved={onNotApproved}
      />
    );
  }
  return null;
}

function Resend({ email }: { email: () => string }) {
  const { t } = useTranslation();
  const { busy, failure, send } = useRequest();
  const [isSent, setIsSent] = useState(false);

  function resend() {
    setIsSent(false);
    send(
      () => resendVerification(email()),
      () => setIsSent(true),
    );
  }
  return (
    <div className={styles.part}>
      <Failure fallback={t('error.internal')} reason={failure} sendsLink />
      {isSent ? <p>{t('answer.verification_sent')}</p> : null}
      <Button
        busy={busy && t('email_verification.resend_busy')}
        variant="secondary"
        onClick={resend}
      >
        {t('email_verification.resend')}
      </Button>
    </div>
  );
}

interface WaitingProps extends Pick<StoppedSignInProps, 'email'> {
  approval: string;
  onApproved: () => void;
  /** Called if the account's owner has rejected the device, or has not approved it in time. */
  onNotApproved: () => void;
}

/** Polls whether the account's owner has approved this device by the mailed link, and then repeats the sign-in. */
function Waiting({ approval, email, onApproved, onNotApproved }: WaitingProps) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const latest = useRef({ onApproved, onNotApproved });
  useEffect(() => {
    latest.current = { onApproved, onNotApproved };
  });
  /** Returns true if polling is useless, because the device was rejected or the approval has expired. */
  const endsWait = (reason: unknown) => {
    const isEnd = isRefusal(reason, 'invalid_token');
    if (isEnd) latest.current.onNotApproved();
    return isEnd;
  };
  const { busy, failure, send } = useRequest(endsWait);
  // Whether the user has clicked too early. Repeating the sign-in now would invalidate the mailed link.
  const [isTooEarly, setIsTooEarly] = useState(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with the email address of the sign-in
  useEffect(() => history.replaceState(interruptedSignIn(email()), ''), []);

  useEffect(() => {
    if (!isOpen) return;
    const timer = setTimeout(() => latest.current.onApproved(), DOOR_MS);
    return () => clearTimeout(timer);
  }, [isOpen]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: endsWait reads the latest callbacks, and the email address is the one of the sign-in
  useEffect(() => {
    if (isOpen) return;
    const poll = () => {
      isDeviceApproved(approval).then((approved) => approved && setIsOpen(true), endsWait);
    };
    const timer = setInterval(poll, POLLING_INTERVAL_MS);
    // If the mailed link was opened in another tab, that tab expects a session within seconds.
    const stopListening = onVerification('device-approved', email(), poll);
    return () => {
      clearInterval(timer);
      stopListening();
    };
  }, [approval, isOpen]);

  function checkNow() {
    setIsTooEarly(false);
    send(
      () => isDeviceApproved(approval),
      (approved) => (approved ? setIsOpen(true) : setIsTooEarly(true)),
    );
  }

  return (
    <div className={styles.part}>
      <Door isOpen={isOpen} />
      <p>{t(isTooEarly ? 'sign_in.not_yet' : 'sign_in.waiting')}</p>
      <Failure fallback={t('error.internal')} reason={failure} />
      <Button busy={busy && t('sign_in.approved')} variant="secondary" onClick={checkNow}>
        {t('sign_in.approved')}
      </Button>
    </div>
  );
}
