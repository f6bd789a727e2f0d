import type { MouseEvent, ReactNode, RefObject } from 'react';
import type { FieldErrors } from '../forms/field-errors';
import type { TextKey } from '../i18n/texts';
import { useTranslation } from '../i18n/use-translation';
import { Alert } from './notice';
import styles from './notice.module.css';

/** The keys of the field labels, by field name. */
const LABELS: Readonly<Record<string, TextKey>> = {
  email: 'common.email',
  username: 'common.username',
  first_name: 'completion.first_name',
  last_name: 'completion.last_name',
  country: 'common.country',
  birthday: 'common.birthday',
  zipcode: 'common.zipcode',
  password: 'common.password',
  confirm_password: 'migration.confirm_password',
};

interface MarkedFieldsProps {
  title?: string;
  form: RefObject<HTMLFormElement | null>;
  errors: FieldErrors;
  /** Links with which the user can continue. */
  children?: ReactNode;
}

/** The error summary of a form: the number of invalid fields, and a link to each of these fields. */
export function MarkedFields({ title, form, errors, children }: MarkedFieldsProps) {
  const { t } = useTranslation();

  function focusField(event: MouseEvent, name: string) {
    event.preventDefault();
    // The name of the error is the name of the fieldset for a date, and the start of the input's name for a country.
    form.current
      ?.querySelector<HTMLElement>(`:is([name^="${name}"], [name="${name}"] *)[aria-invalid]`)
      ?.focus();
  }

  return (
    <Alert>
      {title ? <p>{title}</p> : null}
      <p>{t('common.check_fields', { count: Object.keys(errors).length })}</p>
      <p className={styles.links}>
        {Object.keys(errors).map((name) => {
          const label = LABELS[name];
          return label ? (
            <a href={`#${name}`} key={name} onClick={(event) => focusField(event, name)}>
              {t(label)}
            </a>
          ) : null;
        })}
        {children}
      </p>
    </Alert>
  );
}
