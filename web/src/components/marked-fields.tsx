import type { MouseEvent, RefObject } from 'react';
import type { FieldErrors } from '../forms/field-errors';
import type { TextKey } from '../i18n/texts';
import { useTranslation } from '../i18n/use-translation';
import type { Elements } from './elements';
import { Alert } from './notice';
import styles from './notice.module.css';

/** The labels of the fields by field name, except that of the password. */
const LABELS: Readonly<Record<string, TextKey>> = {
  email: 'common.email',
  username: 'common.username',
  first_name: 'completion.first_name',
  last_name: 'completion.last_name',
  country: 'common.country',
  birthday: 'common.birthday',
  zipcode: 'common.zipcode',
  confirm_password: 'migration.confirm_password',
};

interface MarkedFieldsProps {
  title?: string;
  form: RefObject<HTMLFormElement | null>;
  errors: FieldErrors;
  /** The label of the field `password`. Default: the label in forms that ask for a first password. */
  passwordLabel?: TextKey;
  /** Links with which the user can continue. */
  children?: Elements;
}

/** The error summary of a form: the number of invalid fields, and a link to each. */
export function MarkedFields(props: MarkedFieldsProps) {
  const { title, form, errors, passwordLabel = 'common.password', children } = props;
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
          const label = name === 'password' ? passwordLabel : LABELS[name];
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
