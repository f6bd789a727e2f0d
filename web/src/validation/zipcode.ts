// Full-width digits are accepted, because keyboards for Japanese and Chinese type such digits.
const normalize = (input: string): string => input.normalize('NFKC').trim();

/** Checks the zip code of a registration: 2 to 12 letters, digits, spaces or hyphens, which covers all countries. */
export function checkZipcode(input: string): 'zipcode_invalid' | null {
  return /^[A-Za-z0-9 -]{2,12}$/.test(normalize(input)) ? null : 'zipcode_invalid';
}

/** Checks the zip code in a region with `migration_zip` `us`: 5 digits, or 5 digits, a hyphen and 4 digits. */
export function checkZipcodeUs(input: string): 'zipcode_invalid' | null {
  return /^[0-9]{5}(?:-[0-9]{4})?$/.test(normalize(input)) ? null : 'zipcode_invalid';
}
