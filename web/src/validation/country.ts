/** A country is one of the codes that the list shows: two lower-case letters. */
export function checkCountry(
  code: string,
  names: Readonly<Record<string, string>>,
): 'country_missing' | null {
  return Object.hasOwn(names, code) ? null : 'country_missing';
}
