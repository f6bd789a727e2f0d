import { trimText, unifySeparators } from './visible-text';

const normalize = (input: string): string => unifySeparators(trimText(input));

/** Checks the zip code in the registration form: 2 to 12 letters, digits, spaces or hyphens, for any country. */
export function checkZipcode(input: string): 'zipcode_invalid' | null {
  return /^[A-Za-z0-9 -]{2,12}$/.test(normalize(input)) ? null : 'zipcode_invalid';
}

/** Checks the zip code if the setting `migration_zip` of the region is `us`: 5 digits or ZIP+4 (`12345-6789`). */
export function checkZipcodeUs(input: string): 'zipcode_invalid' | null {
  return /^[0-9]{5}(?:-[0-9]{4})?$/.test(normalize(input)) ? null : 'zipcode_invalid';
}
