import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Failure } from '../components/failure';
import { Alert } from '../components/notice';
import type { FieldErrors } from '../forms/use-form';

interface MigrationFailureProps {
  /** What is wrong with single fields, which they say themselves. */
  errors: FieldErrors;
  /** What the request failed with, or null. */
  reason: unknown;
  /** What is said of it where the server says nothing. */
  fallback: string;
  /** A way on. */
  children?: ReactNode;
}

/** This screen has one label for every failure (specification section 8); what helps stands below it. */
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
