import type { Config } from '../api/config';
import type { Completion } from '../api/migration';
import { type Faults, faultsOf } from '../forms/use-form';
import { checkCompletionBirthday } from '../validation/birthday';
import { checkCompletionPassword, checkConfirmation } from '../validation/password';
import { checkZipcode, checkZipcodeUs } from '../validation/zipcode';
import { birthdayOf } from './sign-up-values';

/** What the completion form holds, as text; the newsletter is a box of its own. */
export const EMPTY = {
  first_name: '',
  last_name: '',
  country: '',
  day: '',
  month: '',
  year: '',
  zipcode: '',
  password: '',
  confirm_password: '',
};
export type CompletionValues = typeof EMPTY;

/** Every rule of the completion form, by the field keys of the contract. */
export function checkCompletion(
  values: CompletionValues,
  { age, region }: Config,
  today: Date,
): Faults {
  const zipcode = region.migration_zip === 'us' ? checkZipcodeUs : checkZipcode;
  const differ = checkConfirmation(values.password, values.confirm_password);
  return faultsOf({
    first_name: checkName(values.first_name),
    last_name: checkName(values.last_name),
    country: values.country === '' ? 'country_missing' : null,
    birthday: checkCompletionBirthday(birthdayOf(values), age.migration, today),
    zipcode: zipcode(values.zipcode),
    // One thing at a time: first that the two match, then what the password is made of.
    password: differ ? null : checkCompletionPassword(values.password),
    confirm_password: differ,
  });
}

function checkName(name: string): 'missing_field' | null {
  return name.trim() === '' ? 'missing_field' : null;
}

/** What the server gets. Only for values that have passed the check. */
export function completionOf(values: CompletionValues, newsletter: boolean): Completion {
  return {
    first_name: values.first_name.trim(),
    last_name: values.last_name.trim(),
    country: values.country,
    birthday_day: Number(values.day),
    birthday_month: Number(values.month),
    birthday_year: Number(values.year),
    zipcode: values.zipcode.trim(),
    password: values.password,
    confirm_password: values.confirm_password,
    marketing_consent: newsletter,
  };
}
