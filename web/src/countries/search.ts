import otherNames from './other-names.json';

export interface Country {
  /** ISO 3166-1 alpha-2 in lower case, as the API expects it. */
  code: string;
  name: string;
  /** The ISO 3166-1 codes of the country, with two and with three letters. */
  codes: readonly string[];
  /** The alternative names of the country in all four languages, folded and without spaces. */
  otherNames: readonly string[];
}

/** The three-letter code and the alternative names of each country, in the format that `join` returns. */
const OTHER_NAMES: Readonly<Record<string, string>> = otherNames;

/** Returns the countries of a catalogue of names, in no order. */
export function countriesOf(names: Readonly<Record<string, string>>): readonly Country[] {
  return Object.entries(names).map(([code, name]) => {
    const [longCode = '', ...others] = (OTHER_NAMES[code] ?? '').split(' ');
    return { code, name, codes: [code, longCode], otherNames: others };
  });
}

/** Sorts the countries by the collation of the language. The first collation of a page takes a phone some 50 ms. */
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

/** Finds the country with exactly this name. Ignores codes, because a code may be the start of another name. */
export function findCountryByName(countries: readonly Country[], text: string): Country | null {
  const wanted = foldText(text);
  return (wanted && countries.find(({ name }) => foldText(name) === wanted)) || null;
}

/** Finds the country with exactly this name, alternative name or code, as typed or autofilled. */
export function findCountry(countries: readonly Country[], text: string): Country | null {
  const wanted = foldText(text);
  return (wanted && countries.find((country) => rank(country, wanted) === EXACT_RANK)) || null;
}

const EXACT_RANK = 0;
const NO_MATCH = 4;

/** Ranks how well a country matches the text. The start of a code is no match, because too many would match. */
function rank({ name, codes, otherNames }: Country, wanted: string): number {
  const own = foldText(name);
  const joined = join(wanted);
  if (own === wanted || codes.includes(joined) || otherNames.includes(joined)) return EXACT_RANK;
  if (own.startsWith(wanted)) return 1;
  if (` ${own}`.includes(` ${wanted}`)) return 2;
  return otherNames.some((other) => other.startsWith(joined)) ? 3 : NO_MATCH;
}

/** Folds a text and removes the spaces, so that "U.S.A." equals "USA". */
const join = (text: string) => foldText(text).replaceAll(' ', '');

function foldText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
