import type { Catalogue, Words } from '../languages';

type Tree = { readonly [key: string]: string | Tree };

/** Removes the plural category from a key: `wait_minutes_one` becomes `wait_minutes`. */
type WithoutCategory<Key extends string> = Key extends `${infer Name}_${Intl.LDMLPluralRule}`
  ? Name
  : Key;
type KeysOf<Part> = {
  [Key in keyof Part & string]: Part[Key] extends string
    ? Key | WithoutCategory<Key>
    : `${Key}.${KeysOf<Part[Key]>}`;
}[keyof Part & string];

/** The path of a text in the catalogue, with dots, for example `common.email`. */
export type TextKey = KeysOf<Words>;
type Values = Readonly<Record<string, string | number>>;
export type Translate = (key: TextKey, values?: Values) => string;

let current = 'en';
const catalogues = new Map<string, Tree>();
const translators = new Map<string, Translate>();
const listeners = new Set<() => void>();

export function currentLanguage(): string {
  return current;
}

export function onLanguageChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function addTexts(language: string, texts: Catalogue): void {
  catalogues.set(language, texts);
}

export function hasTexts(language: string): boolean {
  return catalogues.has(language);
}

export function setLanguage(language: string): void {
  current = language;
  if (typeof document !== 'undefined') document.documentElement.lang = language;
  for (const listener of listeners) listener();
}

/** Returns the country names by code if they are loaded. A page with a country field embeds these names. */
export function cachedCountries(language: string): Readonly<Record<string, string>> | undefined {
  return (catalogues.get(language) as Catalogue | undefined)?.countryvalues;
}

/** Returns the text of a key in the current language. `values` replace the `{{name}}` parameters of the text. */
export const t: Translate = (key, values) => translatorOf(current)(key, values);

/** Returns the function `t` for a language. Each call returns the same function, so that React sees no change. */
export function translatorOf(language: string): Translate {
  const existingTranslator = translators.get(language);
  if (existingTranslator) return existingTranslator;
  let plural: Intl.PluralRules | undefined;
  function categoryOf({ count }: Values): Intl.LDMLPluralRule {
    plural ??= new Intl.PluralRules(language);
    return plural.select(typeof count === 'number' ? count : 0);
  }
  const translate: Translate = (key, values = {}) => {
    const text =
      findText(language, key) ??
      findText(language, `${key}_${categoryOf(values)}`) ??
      findText(language, `${key}_other`);
    if (text === undefined) {
      console.error(`no text for "${key}" in "${language}"`);
      return '';
    }
    return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name) => String(values[name] ?? whole));
  };
  translators.set(language, translate);
  return translate;
}

/** Returns whether the current language has a text with this key. */
export const isTextKey = (key: string): key is TextKey => findText(current, key) !== undefined;

function findText(language: string, key: string): string | undefined {
  let part: string | Tree | undefined = catalogues.get(language);
  for (const name of key.split('.')) {
    part = typeof part === 'object' ? part[name] : undefined;
  }
  return typeof part === 'string' ? part : undefined;
}
