import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useClientValue } from '../use-client-value';
import { FIRST_YEAR } from '../validation/birthday';
import styles from './birthday-field.module.css';
import { SelectField } from './select-field';
import { TextField } from './text-field';

/** The three parts as they stand in the form; an empty string where nothing is chosen yet. */
interface BirthdayParts {
  /** Absent where the month is enough. */
  day?: string;
  month: string;
  year: string;
}

interface BirthdayFieldProps {
  value: BirthdayParts;
  onChange: (part: keyof BirthdayParts, value: string) => void;
  error?: string | null | undefined;
  /** What one should know before choosing, such as the age. */
  hint: string;
}

/** Where the list of years ends in a page that comes drawn. The later ones follow with the scripts. */
const PRERENDERED_UNTIL = 2026;
const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1);

/** Day by digits, month and year by lists, and one message for all of them. */
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
