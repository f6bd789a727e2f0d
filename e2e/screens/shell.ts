import type { Locator, Page } from '@playwright/test';
import { type Language, type Words, words } from '../words.ts';

/** The name of each language in the language itself. */
const NAMES: Record<Language, RegExp> = {
  en: /English/,
  de: /Deutsch/,
  es: /Español/,
  pt: /Português/,
};

/** The header, footer and language menu around every screen. */
export class Shell {
  readonly html: Locator;
  readonly language: Locator;
  readonly languages: Locator;

  constructor(
    private readonly page: Page,
    { shell }: Words = words.en,
  ) {
    this.html = page.locator('html');
    this.language = page.getByRole('button', { name: shell.language });
    this.languages = page.getByRole('menuitemradio');
  }

  choice(language: Language): Locator {
    return this.page.getByRole('menuitemradio', { name: NAMES[language] });
  }

  async choose(language: Language): Promise<void> {
    await this.language.click();
    await this.choice(language).click();
  }
}
