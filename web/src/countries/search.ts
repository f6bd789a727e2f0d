export interface Country {
  /** ISO 3166-1 alpha-2 in lower case, as the API expects it. */
  code: string;
  name: string;
}

/** Sorts the countries by the collation of the language. */
export function sortCountries(
  names: Readonly<Record<string, string>>,
  language: string,
): readonly Country[] {
  const { compare } = new Intl.Collator(language);
  return Object.entries(names)
    .map(([code, name]) => ({ code, name }))
    .sort((a, b) => compare(a.name, b.name));
}

/**
 * Finds countries by a prefix of any word of the name, or by code, ignoring case and accents. Countries whose name
 * starts with the text come first.
 */
export function searchCountries(countries: readonly Country[], text: string): readonly Country[] {
  const wanted = fold(text);
  if (wanted === '') return countries;
  const found = countries.filter(
    ({ code, name }) => code === wanted || words(name).some((start) => start.startsWith(wanted)),
  );
  return found.sort((a, b) => rank(a, wanted) - rank(b, wanted));
}

/** Finds the country whose complete name is `text`, as typed or autofilled. */
export function findCountry(countries: readonly Country[], text: string): Country | null {
  const wanted = fold(text);
  return countries.find(({ name }) => fold(name) === wanted) ?? null;
}

/** The suffixes of a name that start at a word. */
function words(name: string): string[] {
  const parts = fold(name).split(' ');
  return parts.map((_, index) => parts.slice(index).join(' '));
}

function rank({ code, name }: Country, wanted: string): number {
  if (code === wanted) return 0;
  return fold(name).startsWith(wanted) ? 1 : 2;
}

function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
