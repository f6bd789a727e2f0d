import type { Locator, Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

/** The completion form of a migration. */
export class CompletionScreen {
  readonly heading: Locator;
  readonly firstName: Locator;
  readonly lastName: Locator;
  readonly country: Locator;
  readonly day: Locator;
  readonly month: Locator;
  readonly year: Locator;
  readonly zipcode: Locator;
  readonly password: Locator;
  readonly confirmation: Locator;
  readonly newsletter: Locator;
  readonly submit: Locator;
  readonly back: Locator;
  readonly alert: Locator;
  readonly status: Locator;
  readonly #usa: Locator;
  readonly #usaName: string;

  constructor(page: Page, { common, completion, countryvalues, migration }: Words = words.en) {
    const field = (name: string) => page.getByRole('textbox', { name, exact: true });
    const choice = (name: string) => page.getByRole('combobox', { name, exact: true });
    this.heading = page.getByRole('heading', { level: 1, name: completion.title, exact: true });
    this.firstName = field(completion.first_name);
    this.lastName = field(completion.last_name);
    this.country = choice(common.country);
    this.day = field(common.day);
    this.month = choice(common.month);
    this.year = choice(common.year);
    this.zipcode = field(common.zipcode);
    this.password = page.getByLabel(common.password, { exact: true });
    this.confirmation = page.getByLabel(migration.confirm_password, { exact: true });
    this.newsletter = page.getByRole('checkbox', { name: completion.newsletter });
    this.submit = page.getByRole('button', { name: completion.submit, exact: true });
    this.back = page.getByRole('link', { name: completion.back, exact: true });
    this.alert = page.getByRole('alert');
    this.status = page.getByRole('status');
    this.#usaName = countryvalues.us;
    this.#usa = page.getByRole('option', { name: countryvalues.us, exact: true });
  }

  /** Fills all required fields, for an adult in Portland. */
  async fill(password: string, born = { day: '7', month: '4', year: '1989' }): Promise<void> {
    await this.firstName.fill('Ada');
    await this.lastName.fill('Couch');
    await this.country.fill(this.#usaName.slice(0, 5));
    await this.#usa.click();
    await this.day.fill(born.day);
    await this.month.selectOption(born.month);
    await this.year.selectOption(born.year);
    await this.zipcode.fill('97201-1234');
    await this.password.fill(password);
    await this.confirmation.fill(password);
  }
}
