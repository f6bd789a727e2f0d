import type en from '../../locales/en.json';
import { readChoice, saveChoice } from './saved-choice';

export const LANGUAGES = ['en', 'de', 'es', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The words of one language as the server sends them: everything but what the server alone says. */
export type Words = Omit<typeof en, 'mail' | 'placeholder'>;
/** The same as it stands in a page: the countries come later, to whom needs them. */
export type Catalogue = Omit<Words, 'countryvalues'> & Partial<Pick<Words, 'countryvalues'>>;

/** Each language by its own name, which no translation ever changes. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  pt: 'Português (Brasil)',
};

const COOKIE = 'account_language';

export function isLanguage(tag: unknown): tag is Language {
  return LANGUAGES.some((language) => language === tag);
}

/** The language that somebody chose earlier in this browser. */
export function savedLanguage(): string | null {
  return readChoice(COOKIE);
}

/** Keeps the choice where the server sees it too, which writes the next page in that language. */
export function saveLanguage(language: Language): void {
  saveChoice(COOKIE, language);
}
