import { type Country, findCountry } from './search';

/** The name of the text input of a country field. The form value itself is the country code. */
export function inputOf(name: string): string {
  return `${name}-name`;
}

/**
 * Adds a fully typed country that is not selected yet. The replay of an early submit runs before the country field
 * has read its input.
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
