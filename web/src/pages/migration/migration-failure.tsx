import type { ReactNode } from 'react';
import { Failure } from '../../components/failure';
import { Alert } from '../../components/notice';
import type { FieldErrors } from '../../forms/field-errors';
import { useTranslation } from '../../i18n/use-translation';

interface MigrationFailureProps {
  /** The field errors, which the fields show themselves. */
  errors: FieldErrors;
  /** The error of the request, or null. */
  reason: unknown;
  /** The message if the server returned none. */
  fallback: string;
  /** Links or buttons to continue. */
  children?: ReactNode;
}

/** The migration screens have one title for all errors, followed by the message. */
export function MigrationFailure({ errors, reason, fallback, children }: MigrationFailureProps) {
  const { t } = useTranslation();
  const title = t('common.authentication_failed');

  if (Object.keys(errors).length > 0) {
    return (
      <Alert>
        <p>{title}</p>
      </Alert>
    );
  }
  return (
    <Failure fallback={fallback} reason={reason} title={title}>
      {children}
    </Failure>
  );
}
