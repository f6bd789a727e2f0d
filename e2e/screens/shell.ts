import type { Page } from '@playwright/test';
import { type Language, type Words, words } from '../words.ts';

/** The name of each language in the language itself. */
const NAMES: Record<Language, RegExp> = {
  en: /English/,
  de: /Deutsch/,
  es: /Español/,
  pt: /Português/,
};

/** The header, footer and language menu around every screen. */
export function pageShell(page: Page, { shell }: Words = words.en) {
  return {
    html: page.locator('html'),
    language: page.getByRole('button', { name: shell.language }),
    languages: page.getByRole('menuitemradio'),

    choice(language: Language) {
      return page.getByRole('menuitemradio', { name: NAMES[language] });
    },

    async choose(language: Language) {
      await this.language.click();
      await this.choice(language).click();
    },
  };
}
