import { type Country, findCountry } from './search';

/** The input in which the country of that name is typed; the form's own value is the code. */
export function inputOf(name: string): string {
  return `${name}-name`;
}

/**
 * `values` with the country that has been typed to its end and is not chosen yet: a form that was sent before
 * its scripts came is sent again before its field has looked at what stands there.
 */
export function withTypedCountry<Values extends { country: string }>(
  values: Values,
  form: HTMLFormElement | null,
  countries: readonly Country[],
): Values {
  if (values.country !== '' || !form) return values;
  const text = new FormData(form).get(inputOf('country'));
  const typed = typeof text === 'string' ? findCountry(countries, text) : null;
  return typed ? { ...values, country: typed.code } : values;
}
