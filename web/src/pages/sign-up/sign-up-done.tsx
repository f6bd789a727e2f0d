import { useLayoutEffect } from 'react';
import { useLocation } from 'wouter';
import type { User } from '../../api/session';
import { onVerification } from '../../browser/verification-signal';
import { BackLink } from '../../components/back-link';
import { Button } from '../../components/button';
import { rememberEmail } from '../../components/email-field';
import { Status } from '../../components/notice';
import { ResendVerification } from '../../components/resend-verification';
import result from '../../components/result.module.css';
import { TermsText } from '../../components/terms-text';
import { useTranslation } from '../../i18n/use-translation';
import styles from './sign-up.module.css';

interface SignUpDoneProps {
  user: User;
  /** Returns to the form, so that the user can correct the email address. */
  onCorrect: () => void;
}

/**
 * The result of a registration: a link was mailed. If the user opens the link in another tab of this browser, this
 * screen goes to the sign-in screen.
 */
export function SignUpDone({ user, onCorrect }: SignUpDoneProps) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  // The screen listens as soon as it is visible.
  useLayoutEffect(() => {
    // A reload has forgotten the typed address.
    rememberEmail(user.email);
    return onVerification('email-verified', user.email, () =>
      navigate('/', { state: { notice: { text: 'answer.email_verified' } } }),
    );
  }, [user.email, navigate]);

  return (
    <div className={`${styles.done} ${result.settling}`}>
      <Status>{t('sign_up.done', { username: user.username })}</Status>
      <div className={styles.correct}>
        <p>{t('sign_up.done_next', { email: user.email })}</p>
        <Button variant="quiet" onClick={onCorrect}>
          {t('sign_up.correct')}
        </Button>
      </div>
      <TermsText sentence="sign_up.done_terms" />
      <ResendVerification email={user.email} />
      <BackLink to="/">{t('common.go_to_sign_in')}</BackLink>
    </div>
  );
}
