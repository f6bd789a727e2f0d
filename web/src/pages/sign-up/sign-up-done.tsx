import type { User } from '../../api/session';
import { Button, ButtonLink } from '../../components/button';
import { Status } from '../../components/notice';
import { ResendVerification } from '../../components/resend-verification';
import { TermsText } from '../../components/terms-text';
import { useTranslation } from '../../i18n/use-translation';
import styles from './sign-up.module.css';

interface SignUpDoneProps {
  user: User;
  /** Returns to the form, in which the user can correct the email address. */
  onCorrect: () => void;
}

/** The result of a registration: the mailed link, the terms, and the way to the sign-in. */
export function SignUpDone({ user, onCorrect }: SignUpDoneProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.done}>
      <Status>
        <p>{t('sign_up.done', { username: user.username })}</p>
      </Status>
      <div className={styles.correct}>
        <p>{t('sign_up.done_next', { email: user.email })}</p>
        <Button variant="quiet" onClick={onCorrect}>
          {t('sign_up.correct')}
        </Button>
      </div>
      <TermsText sentence="sign_up.done_terms" />
      <ButtonLink variant="primary" to="/">
        {t('common.go_to_sign_in')}
      </ButtonLink>
      <ResendVerification email={user.email} />
    </div>
  );
}
