import otherNames from './other-names.json';

export interface Country {
  /** ISO 3166-1 alpha-2 in lower case, as the API expects it. */
  code: string;
  name: string;
  /** The ISO 3166-1 alpha-2 and alpha-3 codes. */
  codes: readonly string[];
  /** The alternative names in all languages, without accents, case, punctuation and spaces. */
  otherNames: readonly string[];
}

/** By two-letter code: the three-letter code and the alternative names, separated by spaces, as `join` returns them. */
const OTHER_NAMES: Readonly<Record<string, string>> = otherNames;

/** Converts country names by code to countries, in no particular order. */
export function countriesOf(names: Readonly<Record<string, string>>): readonly Country[] {
  return Object.entries(names).map(([code, name]) => {
    const [longCode = '', ...others] = (OTHER_NAMES[code] ?? '').split(' ');
    return { code, name, codes: [code, longCode], otherNames: others };
  });
}

/** Sorts the countries by name in the order of the language. The first collation of a page takes 50 ms on a phone. */
export function sortCountries(countries: readonly Country[], language: string): readonly Country[] {
  const { compare } = new Intl.Collator(language);
  return [...countries].sort((a, b) => compare(a.name, b.name));
}

/**
 * Finds countries by code, or by a prefix of any word of a name or an alternative name. Ignores case and accents.
 * Countries with exactly this name or code come first, then countries whose name starts with the text.
 */
export function searchCountries(countries: readonly Country[], text: string): readonly Country[] {
  const wanted = foldText(text);
  if (wanted === '') return countries;
  return countries
    .map((country) => ({ country, rank: rank(country, wanted) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank)
    .map(({ country }) => country);
}

/** Finds the country with exactly this name. A code does not match, because another name may start with the code. */
export function findCountryByName(countries: readonly Country[], text: string): Country | null {
  const wanted = foldText(text);
  return (wanted && countries.find(({ name }) => foldText(name) === wanted)) || null;
}

/** Finds the country with exactly this name, alternative name or code. */
export function findCountry(countries: readonly Country[], text: string): Country | null {
  const wanted = foldText(text);
  return (wanted && countries.find((country) => rank(country, wanted) === EXACT_RANK)) || null;
}

const EXACT_RANK = 0;
const NO_MATCH = 4;

/** Ranks how well a country matches the text. A country code matches only as a whole, as each letter begins many. */
function rank({ name, codes, otherNames }: Country, wanted: string): number {
  const own = foldText(name);
  const joined = join(wanted);
  if (own === wanted || codes.includes(joined) || otherNames.includes(joined)) return EXACT_RANK;
  if (own.startsWith(wanted)) return 1;
  if (` ${own}`.includes(` ${wanted}`)) return 2;
  return otherNames.some((other) => other.startsWith(joined)) ? 3 : NO_MATCH;
}

/** Removes case, accents, punctuation and spaces, so that "U.S.A." equals "USA". */
const join = (text: string) => foldText(text).replaceAll(' ', '');

function foldText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
