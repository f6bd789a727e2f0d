import otherNames from './other-names.json';

export interface Country {
  /** ISO 3166-1 alpha-2 in lower case, as the API expects it. */
  code: string;
  name: string;
  /** Its ISO 3166-1 codes, of two and of three letters. */
  codes: readonly string[];
  /** Its other names in any of our languages, folded and without blanks. */
  otherNames: readonly string[];
}

/** The code of three letters, and the other names as `join` returns them. */
const OTHER_NAMES: Readonly<Record<string, string>> = otherNames;

/** Sorts the countries by the collation of the language. */
export function sortCountries(
  names: Readonly<Record<string, string>>,
  language: string,
): readonly Country[] {
  const { compare } = new Intl.Collator(language);
  return Object.entries(names)
    .map(([code, name]) => {
      const [longCode = '', ...others] = (OTHER_NAMES[code] ?? '').split(' ');
      return { code, name, codes: [code, longCode], otherNames: others };
    })
    .sort((a, b) => compare(a.name, b.name));
}

/**
 * Finds countries by a prefix of any word of the name, or of another name, or by code, ignoring case and accents.
 * Countries with exactly this name or code come first, then those whose name starts with the text.
 */
export function searchCountries(countries: readonly Country[], text: string): readonly Country[] {
  const wanted = fold(text);
  if (wanted === '') return countries;
  return countries
    .map((country) => ({ country, rank: rank(country, wanted) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank)
    .map(({ country }) => country);
}

/** Finds the country with exactly this name. Codes and other names may be the start of the name of another country. */
export function findCountryByName(countries: readonly Country[], text: string): Country | null {
  const wanted = fold(text);
  return countries.find(({ name }) => fold(name) === wanted) ?? null;
}

/** Finds the country with exactly this name, other name or code, as typed or autofilled. */
export function findCountry(countries: readonly Country[], text: string): Country | null {
  const wanted = fold(text);
  return countries.find((country) => wanted !== '' && rank(country, wanted) === EXACT) ?? null;
}

const EXACT = 0;
const NO_MATCH = 4;

/** The start of a code is no match, because it would find too many countries. */
function rank({ name, codes, otherNames }: Country, wanted: string): number {
  const own = fold(name);
  const joined = join(wanted);
  if (own === wanted || codes.includes(joined) || otherNames.includes(joined)) return EXACT;
  if (own.startsWith(wanted)) return 1;
  if (` ${own}`.includes(` ${wanted}`)) return 2;
  return otherNames.some((other) => other.startsWith(joined)) ? 3 : NO_MATCH;
}

/** Without blanks, so that "U.S.A." equals "USA". */
const join = (text: string) => fold(text).replaceAll(' ', '');

function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
