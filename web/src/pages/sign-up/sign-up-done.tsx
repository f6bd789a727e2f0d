import type { User } from '../../api/session';
import { ButtonLink } from '../../components/button';
import { Status } from '../../components/notice';
import { ResendVerification } from '../../components/resend-verification';
import { TermsText } from '../../components/terms-text';
import { useTranslation } from '../../i18n/use-translation';
import styles from './sign-up.module.css';

/** The result of a registration: the mailed link, the terms, and the way to the sign-in. */
export function SignUpDone({ user }: { user: User }) {
  const { t } = useTranslation();
  return (
    <div className={styles.done}>
      <Status>
        <p>{t('sign_up.done', { username: user.username })}</p>
      </Status>
      <p>{t('sign_up.done_next', { email: user.email })}</p>
      <div className={styles.terms}>
        <TermsText sentence="sign_up.done_terms" />
      </div>
      <ButtonLink variant="primary" to="/">
        {t('common.go_to_sign_in')}
      </ButtonLink>
      <ResendVerification email={user.email} />
    </div>
  );
}
