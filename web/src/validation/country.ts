/** The code must be one of the listed codes: two lower-case letters. */
export function checkCountry(
  code: string,
  names: Readonly<Record<string, string>>,
): 'country_missing' | null {
  return Object.hasOwn(names, code) ? null : 'country_missing';
}
