import type { Config } from '../../api/config';
import type { KnownDetails } from '../../api/link-address';
import type { Completion } from '../../api/migration';
import { collectErrors, type FieldErrors } from '../../forms/field-errors';
import { fillInText } from '../../forms/typed-text';
import { checkCompletionBirthday } from '../../validation/birthday';
import {
  checkCompletionPassword,
  checkConfirmation,
  checkNewPassword,
} from '../../validation/password';
import { trimText } from '../../validation/visible-text';
import { checkZipcode, checkZipcodeUs } from '../../validation/zipcode';
import { birthdayOf } from '../sign-up/sign-up-values';

/** The initial values of the text fields of the completion form. The newsletter checkbox is not a text field. */
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

/** Fills in the known personal data except the country, which is preselected, and except fields with typed text. */
export function fillIn(form: HTMLFormElement | null, known: KnownDetails): void {
  for (const [name, value] of Object.entries(known)) {
    const field = form?.elements.namedItem(name.replace('birthday_', ''));
    const isField = field instanceof HTMLInputElement || field instanceof HTMLSelectElement;
    if (name !== 'country' && isField) fillInText(field, String(value ?? ''));
  }
}

/** Whether the region uses the short form, which asks for no names and no day of birth. */
export function isShort({ region }: Config): boolean {
  return region.migration_form === 'short';
}

/** Validates the completion form. The keys of the result are the field names of the API. */
export function checkCompletion(
  values: CompletionValues,
  config: Config,
  today: Date,
): FieldErrors {
  const { age, region } = config;
  const differ = checkConfirmation(values.password, values.confirm_password);
  if (isShort(config)) {
    return collectErrors({
      country: values.country === '' ? 'country_missing' : null,
      birthday: checkCompletionBirthday({ ...birthdayOf(values), day: 1 }, age.migration, today),
      zipcode: checkZipcode(values.zipcode),
      password: differ ? null : checkNewPassword(values.password),
      confirm_password: differ,
    });
  }
  const zipcode = region.migration_zip === 'us' ? checkZipcodeUs : checkZipcode;
  return collectErrors({
    first_name: checkName(values.first_name),
    last_name: checkName(values.last_name),
    country: values.country === '' ? 'country_missing' : null,
    birthday: checkCompletionBirthday(birthdayOf(values), age.migration, today),
    zipcode: zipcode(values.zipcode),
    // The password rules are checked only once the password equals its confirmation.
    password: differ ? null : checkCompletionPassword(values.password),
    confirm_password: differ,
  });
}

function checkName(name: string): 'missing_field' | null {
  return trimText(name) === '' ? 'missing_field' : null;
}

/** Converts validated values to the request body. */
export function completionOf(
  values: CompletionValues,
  newsletter: boolean,
  short: boolean,
): Completion {
  const both = {
    country: values.country,
    birthday_month: Number(values.month),
    birthday_year: Number(values.year),
    zipcode: values.zipcode.trim(),
    password: values.password,
    confirm_password: values.confirm_password,
    marketing_consent: newsletter,
  };
  if (short) return both;
  return {
    ...both,
    first_name: values.first_name.trim(),
    last_name: values.last_name.trim(),
    birthday_day: Number(values.day),
  };
}
