import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { hasServerMessage } from '../api/message';
import { Failure } from '../components/failure';
import { Alert } from '../components/notice';
import styles from './sign-up.module.css';

interface SignUpFailureProps {
  /** Single fields are wrong, and say so themselves. */
  faulty: boolean;
  /** What the request failed with, or null. */
  reason: unknown;
  /** The address of an account of the old site, which can be moved here. */
  oldEmail: string | null;
}

/** Why an account was not created: a sentence of the server, or the generic label (specification section 8). */
export function SignUpFailure({ faulty, reason, oldEmail }: SignUpFailureProps) {
  const { t } = useTranslation();

  if (faulty) {
    return (
      <Alert>
        <p>{t('common.check_fields')}</p>
        {oldEmail === null ? null : (
          <Link
            className={styles.move}
            to={`/migration?${new URLSearchParams({ email: oldEmail })}`}
          >
            {t('sign_in.move')}
          </Link>
        )}
      </Alert>
    );
  }
  const label = hasServerMessage(reason) ? {} : { title: t('common.authentication_failed') };
  return <Failure {...label} fallback={t('error.internal')} reason={reason} />;
}
