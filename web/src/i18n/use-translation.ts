import { useSyncExternalStore } from 'react';
import { currentLanguage, onLanguageChange, translatorOf } from './texts';

/** The texts in the current language. Renders again when the language changes. */
export function useTranslation() {
  const language = useSyncExternalStore(onLanguageChange, currentLanguage, currentLanguage);
  return { t: translatorOf(language), language };
}
