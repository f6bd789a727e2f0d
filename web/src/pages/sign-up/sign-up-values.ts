import type { Registration } from '../../api/registration';
import { collectErrors, type FieldErrors } from '../../forms/field-errors';
import { type Birthday, checkBirthday } from '../../validation/birthday';
import { checkRegistrationEmail } from '../../validation/email';
import { checkPassword } from '../../validation/password';
import { checkUsername } from '../../validation/username';
import { trimText } from '../../validation/visible-text';
import { checkZipcode } from '../../validation/zipcode';

/** The initial values of the text fields of the registration form. The consent checkbox is not a text field. */
export const EMPTY = {
  email: '',
  username: '',
  password: '',
  country: '',
  zipcode: '',
  day: '',
  month: '',
  year: '',
};
export type SignUpValues = typeof EMPTY;

/** A registration that was sent, without the password, so that the user can correct its email address. */
export interface SentRegistration {
  values: SignUpValues;
  consent: boolean;
}

/** Validates the registration form. The keys of the result are the field names of the API. */
export function checkRegistration(values: SignUpValues, age: number, today: Date): FieldErrors {
  return collectErrors({
    email: checkRegistrationEmail(values.email),
    username: checkUsername(trimText(values.username)),
    password: checkPassword(values.password),
    country: values.country === '' ? 'country_missing' : null,
    zipcode: checkZipcode(values.zipcode),
    birthday: checkBirthday(birthdayOf(values), age, today),
  });
}

/** Converts validated values to the request body. */
export function registrationOf(values: SignUpValues, consent: boolean): Registration {
  return {
    email: values.email.trim(),
    username: trimText(values.username),
    password: values.password,
    country: values.country,
    zipcode: values.zipcode.trim(),
    birthday_day: Number(values.day),
    birthday_month: Number(values.month),
    birthday_year: Number(values.year),
    marketing_consent: consent,
  };
}

/** Converts the parts of a birthday to numbers. An empty part becomes null. */
export function birthdayOf({ day, month, year }: Record<keyof Birthday, string>): Birthday {
  const part = (text: string) => (text === '' ? null : Number(text));
  return { day: part(day), month: part(month), year: part(year) };
}
