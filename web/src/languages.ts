import type en from '../../locales/en.json';
import { readChoice, saveChoice } from './browser/saved-choice';

export const LANGUAGES = ['en', 'de', 'es', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The texts that the server sends to the browser. The sections that only the server uses are omitted. */
export type Words = Omit<typeof en, 'mail' | 'placeholder' | 'export'>;
/** The texts that a page embeds. Only screens that show countries have the country names. */
export type Catalogue = Omit<Words, 'countryvalues'> & Partial<Pick<Words, 'countryvalues'>>;

/** The name of each language in that language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  pt: 'Português (Brasil)',
};

/** Returns the locale of a language's texts. The Spanish texts are written for Latin America. */
export const localeOf = (language: string): string => (language === 'es' ? 'es-419' : language);

const LANGUAGE_COOKIE = 'account_language';

export function isLanguage(tag: unknown): tag is Language {
  return LANGUAGES.some((language) => language === tag);
}

/**
 * Finds the language of a language tag by lookup (RFC 4647, section 3.4), as the server does. Only the primary subtag
 * counts, because the texts have no regional variants.
 */
export function matchLanguage(tag: string): Language | null {
  const [primary] = tag.trim().toLowerCase().split(/[-_]/);
  return isLanguage(primary) ? primary : null;
}

/** Returns the language that this browser has saved, or null. */
export function savedLanguage(): string | null {
  return readChoice(LANGUAGE_COOKIE);
}

/** Saves the language in a cookie, so that the server can render the next page in it. */
export function saveLanguage(language: Language): void {
  saveChoice(LANGUAGE_COOKIE, language);
}
