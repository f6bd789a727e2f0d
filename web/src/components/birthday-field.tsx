import { useId } from 'react';
import { useTranslation } from '../i18n/use-translation';
import { useClientValue } from '../use-client-value';
import { FIRST_YEAR } from '../validation/birthday';
import styles from './birthday-field.module.css';
import { SelectField } from './select-field';
import { TextField } from './text-field';

/** The three parts as form values; an empty string if nothing is chosen. */
interface BirthdayParts {
  /** Absent if the form needs only month and year. */
  day?: string;
  month: string;
  year: string;
}

interface BirthdayFieldProps {
  value: BirthdayParts;
  onChange: (part: keyof BirthdayParts, value: string) => void;
  error?: string | null | undefined;
  /** Shown until there is an error, for example the minimum age. */
  hint: string;
}

/** The last year in the prerendered list. Later years are added on the client. */
const PRERENDERED_UNTIL = 2026;
const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1);

/** A text field for the day, selects for month and year, and one error message for all three. */
export function BirthdayField({ value, onChange, error, hint }: BirthdayFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const thisYear = useClientValue(() => new Date().getUTCFullYear(), PRERENDERED_UNTIL);
  const years = Array.from({ length: thisYear - FIRST_YEAR + 1 }, (_, index) => thisYear - index);
  const tied = { invalid: Boolean(error), describedBy: error ? `${id}-error` : `${id}-hint` };

  return (
    <fieldset>
      <legend className={styles.legend}>{t('common.birthday')}</legend>
      <div className={styles.parts}>
        {value.day === undefined ? null : (
          <TextField
            {...tied}
            autoComplete="bday-day"
            inputMode="numeric"
            label={t('common.day')}
            name="day"
            onChange={(day) => onChange('day', day.replace(/\D/g, '').slice(0, 2))}
            raised
            value={value.day}
          />
        )}
        <SelectField
          {...tied}
          autoComplete="bday-month"
          label={t('common.month')}
          name="month"
          onChange={(month) => onChange('month', month)}
          options={MONTHS}
          value={value.month}
        />
        <SelectField
          {...tied}
          autoComplete="bday-year"
          label={t('common.year')}
          name="year"
          onChange={(year) => onChange('year', year)}
          options={years}
          value={value.year}
        />
      </div>
      {error ? (
        <p className={styles.error} id={`${id}-error`}>
          {error}
        </p>
      ) : (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </fieldset>
  );
}
