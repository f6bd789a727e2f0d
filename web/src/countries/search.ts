export interface Country {
  /** ISO 3166-1 alpha-2 in lower case: what the server is told. */
  code: string;
  name: string;
}

/** The list in the order of the alphabet of its language. */
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
 * The countries that somebody may mean: without regard to case and accents, by the beginning of any
 * of their words or by their code; the ones whose name begins so come first.
 */
export function searchCountries(countries: readonly Country[], text: string): readonly Country[] {
  const wanted = fold(text);
  if (wanted === '') return countries;
  const found = countries.filter(
    ({ code, name }) => code === wanted || words(name).some((start) => start.startsWith(wanted)),
  );
  return found.sort((a, b) => rank(a, wanted) - rank(b, wanted));
}

/** The country whose whole name this is, as typed to the end or filled in by the browser. */
export function findCountry(countries: readonly Country[], text: string): Country | null {
  const wanted = fold(text);
  return countries.find(({ name }) => fold(name) === wanted) ?? null;
}

/** Each place in a name at which a search may begin, with all that follows. */
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
