import type { ReactNode } from 'react';
import { Failure } from '../../components/failure';
import { Alert } from '../../components/notice';
import type { FieldErrors } from '../../forms/field-errors';
import { useTranslation } from '../../i18n/use-translation';

interface MigrationFailureProps {
  /** The field errors, which the fields show. */
  errors: FieldErrors;
  /** The error of the request, or null. */
  reason: unknown;
  /** The message if the server's response has no message. */
  fallback: string;
  /** Links or buttons with which the user can continue. */
  children?: ReactNode;
}

/** The error summary of the migration screens. All errors have the same title, followed by the message. */
export function MigrationFailure({ errors, reason, fallback, children }: MigrationFailureProps) {
  const { t } = useTranslation();
  const title = t('common.authentication_failed');

  if (Object.keys(errors).length > 0) {
    return (
      <Alert>
        <p>{title}</p>
        <p>{t('common.check_fields', { count: Object.keys(errors).length })}</p>
      </Alert>
    );
  }
  return (
    <Failure fallback={fallback} reason={reason} title={title}>
      {children}
    </Failure>
  );
}
