import type { ReactNode } from 'react';
import type { FieldErrors } from '../forms/field-errors';
import { useTranslation } from '../i18n/use-translation';
import { Alert } from './notice';
import styles from './notice.module.css';

interface MarkedFieldsProps {
  errors: FieldErrors;
  /** A link with which the user can continue. */
  children?: ReactNode;
}

/** The error summary of a form: the number of invalid fields. */
export function MarkedFields({ errors, children }: MarkedFieldsProps) {
  const { t } = useTranslation();
  return (
    <Alert>
      <p>{t('common.check_fields', { count: Object.keys(errors).length })}</p>
      {children ? <p className={styles.links}>{children}</p> : null}
    </Alert>
  );
}
