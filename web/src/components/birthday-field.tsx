import { type FormEvent, useId } from 'react';
import type { FieldProps } from '../forms/use-form';
import { useClientValue } from '../hooks/use-client-value';
import { useTranslation } from '../i18n/use-translation';
import { FIRST_YEAR } from '../validation/birthday';
import styles from './birthday-field.module.css';
import { FieldError } from './field';
import { SelectField } from './select-field';
import { TextField } from './text-field';

interface BirthdayFieldProps extends Pick<FieldProps, 'error'> {
  onInput: () => void;
  /** Whether the form asks for the day of birth in addition to month and year. */
  withDay?: boolean;
  first?: Readonly<Record<'day' | 'month' | 'year', string>> | undefined;
  /** The hint below the fields, for example the minimum age. */
  hint: string;
  /** An additional message below the error message of the field. */
  refusal?: string | null;
}

/** The latest year in the prerendered list of years. In the browser, the list also has the years up to today. */
const PRERENDERED_UNTIL = 2026;
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const;

/** The text field `day` and the selects `month` and `year`, with one error message. */
export function BirthdayField(props: BirthdayFieldProps) {
  const { withDay = true, onInput, error, first, hint, refusal } = props;
  const { t } = useTranslation();
  const id = useId();
  const thisYear = useClientValue(() => new Date().getUTCFullYear(), PRERENDERED_UNTIL);
  const years = Array.from({ length: thisYear - FIRST_YEAR + 1 }, (_, index) => thisYear - index);
  const controlProps = {
    invalid: Boolean(error),
    describedBy: error ? `${id}-error` : `${id}-hint`,
  };

  function inputDay({ currentTarget: day }: FormEvent<HTMLInputElement>) {
    const digits = day.value.replace(/\D/g, '').slice(0, 2);
    // The day is assigned only if its text changes, because an assignment moves the caret to the end.
    if (day.value !== digits) day.value = digits;
    onInput();
  }

  return (
    <fieldset aria-describedby={refusal ? `${id}-hint` : undefined} name="birthday">
      <legend className={styles.legend}>{t('common.birthday')}</legend>
      <div className={styles.parts}>
        {withDay ? (
          <TextField
            {...controlProps}
            autoComplete="bday-day"
            defaultValue={first?.day}
            inputMode="numeric"
            label={t('common.day')}
            name="day"
            onInput={inputDay}
            raised
          />
        ) : null}
        <SelectField
          {...controlProps}
          autoComplete="bday-month"
          defaultValue={first?.month}
          label={t('common.month')}
          name="month"
          onChange={onInput}
          options={MONTHS.map((month, index) => [index + 1, t(`month.${month}`)])}
        />
        <SelectField
          {...controlProps}
          autoComplete="bday-year"
          defaultValue={first?.year}
          label={t('common.year')}
          name="year"
          onChange={onInput}
          options={years.map((year) => [year, String(year)])}
        />
      </div>
      {error ? (
        <FieldError announced={false} id={`${id}-error`}>
          {error}
        </FieldError>
      ) : null}
      <p className={styles.hint} id={`${id}-hint`}>
        {refusal ?? hint}
      </p>
    </fieldset>
  );
}
