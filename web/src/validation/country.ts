/** Checks that the country code is a code of the list, which has codes of two lower-case letters. */
export function checkCountry(
  code: string,
  names: Readonly<Record<string, string>>,
): 'country_missing' | null {
  return Object.hasOwn(names, code) ? null : 'country_missing';
}
