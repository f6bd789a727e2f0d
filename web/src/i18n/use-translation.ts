import { useSyncExternalStore } from 'react';
import { currentLanguage, onLanguageChange, translatorOf } from './texts';

/** Returns the current language and its function `t`. The component renders again when the language changes. */
export function useTranslation() {
  const language = useSyncExternalStore(onLanguageChange, currentLanguage, currentLanguage);
  return { t: translatorOf(language), language };
}
