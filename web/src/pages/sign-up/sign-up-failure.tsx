import { Link } from 'wouter';
import { hasServerMessage } from '../../api/message';
import { Failure } from '../../components/failure';
import { Alert } from '../../components/notice';
import { useTranslation } from '../../i18n/use-translation';
import styles from './sign-up.module.css';

interface SignUpFailureProps {
  /** Whether there are field errors, which the fields show. */
  faulty: boolean;
  /** The error of the request, or null. */
  reason: unknown;
  /** The email address of a legacy account that can be migrated, or null. */
  legacyEmail: string | null;
  /** Whether the email address belongs to an account, whose owner can sign in. */
  isTaken: boolean;
}

/** The error summary of a registration: the server's general message, or the generic title. */
export function SignUpFailure(props: SignUpFailureProps) {
  const { faulty, reason, legacyEmail, isTaken } = props;
  const { t } = useTranslation();

  if (faulty) {
    return (
      <Alert>
        <p>{t('common.check_fields')}</p>
        {legacyEmail === null ? null : (
          <Link
            className={styles.move}
            to={`/migration?${new URLSearchParams({ email: legacyEmail })}`}
          >
            {t('sign_in.move')}
          </Link>
        )}
        {isTaken ? (
          <Link className={styles.move} to="/">
            {t('sign_up.sign_in_instead')}
          </Link>
        ) : null}
      </Alert>
    );
  }
  const label = hasServerMessage(reason) ? {} : { title: t('common.authentication_failed') };
  return <Failure {...label} fallback={t('error.internal')} reason={reason} />;
}
