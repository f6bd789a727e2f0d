import { type ReactNode, useEffect } from 'react';
import { isRefusal } from '../../api/client';
import { errorMessageOf } from '../../api/message';
import { setSessionPossible } from '../../browser/session-hint';
import { signalVerification } from '../../browser/verification-signal';
import { BackLink } from '../../components/back-link';
import { ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { rememberEmail } from '../../components/email-field';
import { isTemporary, LinkFailure } from '../../components/link-failure';
import { LoadingIndicator } from '../../components/loading-indicator';
import { ResendVerification } from '../../components/resend-verification';
import { Result } from '../../components/result';
import { useRedirect } from '../../hooks/use-redirect';
import { useTranslation } from '../../i18n/use-translation';
import { DeviceQuestion } from './device-question';
import { useVerification, type Verification } from './use-verification';

/** The milliseconds for which the success message is shown before the redirect. */
const REDIRECT_DELAY_MS = 3000;

/** The screen of the mailed links that verify an email address or approve a device. */
export default function VerifyEmail() {
  const { t } = useTranslation();
  const { step, token, decided, reloading, reload, onDecision, onSpent } = useVerification();
  const isVerified = step.kind === 'verified';
  const isDevice = isVerified && step.device;
  const text = isDevice ? 'answer.device_approved' : 'answer.email_verified';
  useRedirect(isVerified ? '/' : null, REDIRECT_DELAY_MS, { notice: { text } });
  useEffect(() => {
    if (!isVerified) return;
    // The tab that waits for the approval signs in at once, so the next screen looks for a session.
    if (isDevice) setSessionPossible(true);
    // Another tab may know the email address, with which the sign-in form after the redirect is filled in.
    return signalVerification(isDevice ? 'device-approved' : 'email-verified', rememberEmail);
  }, [isVerified, isDevice]);

  return (
    // The result has another key, so that React mounts a new card, whose heading takes the focus of the removed
    // buttons.
    <Card key={decided ? 'decided' : 'link'} title={t(titleOf(step))}>
      {step.kind === 'needs_decision' && token ? (
        <DeviceQuestion
          at={step.at}
          device={step.device}
          onDecision={onDecision}
          onSpent={onSpent}
          token={token}
        />
      ) : (
        <Step reload={reload} reloading={reloading} step={step} />
      )}
      {/* No link if the user continues on another device, or if the card has its own button (expired link). */}
      {step.kind !== 'approved_elsewhere' && step.kind !== 'device_expired' && (
        <BackLink to="/">{t('email_verification.back')}</BackLink>
      )}
    </Card>
  );
}

/** Returns the title, which depends on the purpose of the link (email address or device) and on the result. */
function titleOf(step: Verification) {
  switch (step.kind) {
    case 'needs_decision':
      return 'was_this_you.title';
    case 'refused':
      return 'email_verification.device_refused_title';
    case 'device_expired':
      return 'common.link_spent';
    case 'failed':
      return isRefusal(step.failure, 'invalid_token')
        ? 'common.link_spent'
        : 'email_verification.title';
    case 'approved_elsewhere':
      return 'email_verification.device_done_title';
    case 'verified':
      return step.device ? 'email_verification.device_done_title' : 'email_verification.done_title';
    default:
      return 'email_verification.title';
  }
}

interface StepProps {
  step: Verification;
  reloading: boolean;
  reload: () => void;
}

function Step({ step, ...again }: StepProps): ReactNode {
  const { t } = useTranslation();
  switch (step.kind) {
    case 'verifying':
      return <LoadingIndicator>{t('email_verification.verifying')}</LoadingIndicator>;
    case 'verified':
      return (
        <Result status="success">
          <p>{t(step.device ? 'answer.device_approved' : 'answer.email_verified')}</p>
          <p>{t('email_verification.redirecting')}</p>
        </Result>
      );
    case 'approved_elsewhere':
      return (
        <Result status="success">
          {t('email_verification.device_elsewhere', { device: step.device })}
        </Result>
      );
    case 'refused':
      return (
        <>
          <Result status="success">{t('answer.device_refused')}</Result>
          <ButtonLink variant="primary" to="/request-password">
            {t('email_verification.device_reset')}
          </ButtonLink>
        </>
      );
    case 'failed':
      return (
        <>
          <LinkFailure
            {...again}
            failure={step.failure}
            message={
              step.failure === null
                ? t('email_verification.no_token')
                : errorMessageOf(step.failure, t('email_verification.failed'))
            }
            title={t('email_verification.failed_hint')}
          />
          {isRefusal(step.failure, 'invalid_token') ? (
            <p>{t('email_verification.replaced')}</p>
          ) : null}
          {isTemporary(step.failure) ? null : <ResendVerification />}
        </>
      );
    case 'device_expired':
      return (
        <>
          <Result status="spent">{t('email_verification.device_expired')}</Result>
          <ButtonLink variant="primary" to="/">
            {t('sign_in.submit')}
          </ButtonLink>
        </>
      );
    case 'needs_decision':
      return null;
  }
}
