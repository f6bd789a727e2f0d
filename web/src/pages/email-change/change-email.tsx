import { type ReactNode, useLayoutEffect } from 'react';
import { isRefusal } from '../../api/client';
import { confirmEmailChange, type EmailNow } from '../../api/email-change';
import { errorMessageOf } from '../../api/message';
import { hadSessionAtLoad } from '../../browser/session-hint';
import { BackLink } from '../../components/back-link';
import { Card } from '../../components/card';
import { rememberEmail } from '../../components/email-field';
import { LinkFailure } from '../../components/link-failure';
import { LoadingIndicator } from '../../components/loading-indicator';
import { Result } from '../../components/result';
import { WrappingEmail } from '../../components/wrapping-email';
import { useClientValue } from '../../hooks/use-client-value';
import { useLinkResult, useLinkToken } from '../../hooks/use-link-token';
import { type Redemption, useRedemption } from '../../hooks/use-redemption';
import { useRedirect } from '../../hooks/use-redirect';
import { useTranslation } from '../../i18n/use-translation';
import { EmailUndo } from '../undo/email-undo';
import styles from './change-email.module.css';

/** The milliseconds for which the success message is shown before the redirect. */
const REDIRECT_DELAY_MS = 3000;

/** The screen of two mailed links, which confirm a new email address or (`undo`) restore the previous one. */
export default function ChangeEmail() {
  const undo = useLinkToken('undo');
  const { done } = useLinkResult('undo');

  return undo || done ? <EmailUndo /> : <EmailConfirmation />;
}

function EmailConfirmation() {
  const { t } = useTranslation();
  const link = useRedemption('verificationToken', confirmEmailChange);
  const { state } = link;
  // Without a session the redirect ends at the sign-in screen, which then says why it is there.
  const isSignedOut = !useClientValue(hadSessionAtLoad, true);
  const notice = isSignedOut ? { notice: { text: 'answer.email_changed' } } : undefined;
  useRedirect(state.kind === 'loaded' ? '/settings' : null, REDIRECT_DELAY_MS, notice);
  const email = isSignedOut && state.kind === 'loaded' ? state.data.email : null;
  useLayoutEffect(() => {
    if (email) rememberEmail(email);
  }, [email]);

  return (
    <Card title={t(titleOf(state))}>
      <Step {...link} />
      <BackLink to="/settings">{t('change_email.back')}</BackLink>
    </Card>
  );
}

function titleOf(state: Redemption<EmailNow>) {
  if (state.kind === 'loaded') return 'change_email.done_title';
  const isSpent = state.kind === 'failed' && isRefusal(state.failure, 'invalid_token');
  return isSpent ? 'common.link_spent' : 'change_email.title';
}

function Step({ state, ...again }: ReturnType<typeof useRedemption<EmailNow>>): ReactNode {
  const { t } = useTranslation();
  switch (state.kind) {
    case 'loading':
      return <LoadingIndicator>{t('change_email.confirming')}</LoadingIndicator>;
    case 'loaded':
      return (
        <Result status="success">
          <p>{t('answer.email_changed')}</p>
          <p className={styles.address}>
            <WrappingEmail>{state.data.email}</WrappingEmail>
          </p>
          <p>{t('change_email.redirecting')}</p>
        </Result>
      );
    case 'no_token':
      return failureOf(null, t('change_email.no_token'));
    case 'failed':
      return failureOf(
        state.failure,
        isRefusal(state.failure, 'account_exists')
          ? t('error.email_taken')
          : errorMessageOf(state.failure, t('change_email.failed')),
      );
  }

  function failureOf(failure: unknown, message: string) {
    return (
      <LinkFailure
        {...again}
        failure={failure}
        message={message}
        title={t('change_email.failed_title')}
      />
    );
  }
}
