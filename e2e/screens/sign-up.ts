import type { Locator, Page } from '@playwright/test';
import type { Person } from '../site/accounts.ts';
import { type Words, words } from '../words.ts';

export class SignUpScreen {
  readonly heading: Locator;
  readonly email: Locator;
  readonly username: Locator;
  readonly password: Locator;
  readonly country: Locator;
  readonly zipcode: Locator;
  readonly day: Locator;
  readonly month: Locator;
  readonly year: Locator;
  readonly marketing: Locator;
  readonly submit: Locator;
  readonly back: Locator;
  readonly alert: Locator;
  readonly done: Locator;
  readonly #germany: Locator;
  readonly #germanyName: string;

  constructor(
    private readonly page: Page,
    { common, sign_up, countryvalues }: Words = words.en,
  ) {
    const field = (name: string) => page.getByRole('textbox', { name, exact: true });
    const choice = (name: string) => page.getByRole('combobox', { name, exact: true });
    this.heading = page.getByRole('heading', { level: 1, name: sign_up.title, exact: true });
    this.email = field(common.email);
    this.username = field(common.username);
    this.password = page.getByLabel(common.password, { exact: true });
    this.country = choice(common.country);
    this.zipcode = field(common.zipcode);
    this.day = field(common.day);
    this.month = choice(common.month);
    this.year = choice(common.year);
    this.marketing = page.getByRole('checkbox', { name: sign_up.marketing });
    this.submit = page.getByRole('button', { name: sign_up.submit, exact: true });
    this.back = page.getByRole('link', { name: common.back, exact: true });
    this.alert = page.getByRole('alert');
    this.done = page.getByRole('heading', { name: common.check_email, exact: true });
    this.#germanyName = countryvalues.de;
    this.#germany = page.getByRole('option', { name: countryvalues.de, exact: true });
  }

  async open(): Promise<void> {
    await this.page.goto('/account/signup');
  }

  /** Fills all required fields, for an adult in Germany. */
  async fill(person: Person, born = { day: '7', month: '4', year: '1989' }): Promise<void> {
    await this.email.fill(person.email);
    await this.username.fill(person.username);
    await this.password.fill(person.password);
    await this.country.fill(this.#germanyName.slice(0, 5));
    await this.#germany.click();
    await this.zipcode.fill('10115');
    await this.day.fill(born.day);
    await this.month.selectOption(born.month);
    await this.year.selectOption(born.year);
  }
}
