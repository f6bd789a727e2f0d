import type en from '../../locales/en.json';
import { readChoice, saveChoice } from './browser/saved-choice';

export const LANGUAGES = ['en', 'de', 'es', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The translations that the server sends to the client. The sections that only the server uses are absent. */
export type Words = Omit<typeof en, 'mail' | 'placeholder' | 'export'>;
/** The translations that a page embeds. Only screens that show countries get the country names. */
export type Catalogue = Omit<Words, 'countryvalues'> & Partial<Pick<Words, 'countryvalues'>>;

/** The name of each language in the language itself. These names are not translated. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  pt: 'Português (Brasil)',
};

/** Returns the locale of the texts in a language: the Spanish texts are those of Latin America. */
export const localeOf = (language: string): string => (language === 'es' ? 'es-419' : language);

const LANGUAGE_COOKIE = 'account_language';

export function isLanguage(tag: unknown): tag is Language {
  return LANGUAGES.some((language) => language === tag);
}

/**
 * Finds the language of a language tag by lookup (RFC 4647 section 3.4), as the server does. Lookup always ends at the
 * primary subtag, because there are no regional variants.
 */
export function matchLanguage(tag: string): Language | null {
  const [primary] = tag.trim().toLowerCase().split(/[-_]/);
  return isLanguage(primary) ? primary : null;
}

/** Returns the language saved in this browser, or null. */
export function savedLanguage(): string | null {
  return readChoice(LANGUAGE_COOKIE);
}

/** Saves the language in a cookie, which the server reads for the next page. */
export function saveLanguage(language: Language): void {
  saveChoice(LANGUAGE_COOKIE, language);
}
