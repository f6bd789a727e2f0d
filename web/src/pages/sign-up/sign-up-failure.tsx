import { Link } from 'wouter';
import { hasServerMessage } from '../../api/message';
import { Failure } from '../../components/failure';
import { Alert } from '../../components/notice';
import { useTranslation } from '../../i18n/use-translation';
import styles from './sign-up.module.css';

interface SignUpFailureProps {
  /** There are field errors, which the fields show themselves. */
  faulty: boolean;
  /** The error of the request, or null. */
  reason: unknown;
  /** The address of a legacy account that can be migrated, or null. */
  legacyEmail: string | null;
}

/** The error of a registration: the server's general message, or the generic title (specification section 8). */
export function SignUpFailure({ faulty, reason, legacyEmail }: SignUpFailureProps) {
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
      </Alert>
    );
  }
  const label = hasServerMessage(reason) ? {} : { title: t('common.authentication_failed') };
  return <Failure {...label} fallback={t('error.internal')} reason={reason} />;
}
