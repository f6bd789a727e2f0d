import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { type Catalogue, LANGUAGES, type Language, saveLanguage } from './languages';
import { LazyBackend } from './lazy-backend';

const NAMESPACE = 'translation';

/** Specification section 9: up to 5 retries from 350 ms doubling, 10 reads at a time. */
export const LOADING = { maxRetries: 5, retryTimeout: 350, maxParallelReads: 10 } as const;

/** Starts with the embedded translations. Other languages are loaded on demand. */
export function startTranslations(language: Language, words: Catalogue): void {
  i18next.on('languageChanged', (current) => {
    document.documentElement.lang = current;
  });
  i18next
    .use(new LazyBackend())
    .use(initReactI18next)
    .init({
      lng: language,
      supportedLngs: LANGUAGES,
      fallbackLng: false,
      resources: { [language]: { [NAMESPACE]: words } },
      partialBundledLanguages: true,
      initAsync: false,
      ...LOADING,
      backend: { loadPath: '/account/account-api/translations/{{lng}}' },
      // React escapes what it renders.
      interpolation: { escapeValue: false },
      react: { useSuspense: false },
      parseMissingKeyHandler: reportMissingKey,
    });
}

/** Changes the language without a reload and saves the choice. Throws if the translations cannot be loaded. */
export async function chooseLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, NAMESPACE)) {
    await i18next.reloadResources(language, NAMESPACE);
    if (!i18next.hasResourceBundle(language, NAMESPACE)) {
      throw new Error(`the words of "${language}" could not be loaded`);
    }
  }
  await i18next.changeLanguage(language);
  saveLanguage(language);
}

/** The country names by code, if they are loaded. Pages with a country field embed them. */
export function cachedCountries(language: string): Readonly<Record<string, string>> | undefined {
  return i18next.getResource(language, NAMESPACE, 'countryvalues');
}

/** Loads the country names, with the whole catalogue. */
export async function loadCountries(language: string): Promise<void> {
  await i18next.reloadResources(language, NAMESPACE);
  if (!cachedCountries(language)) {
    throw new Error(`the countries in "${language}" could not be loaded`);
  }
}

function reportMissingKey(key: string): string {
  console.error(`no words for "${key}" in "${i18next.language}"`);
  return '';
}
