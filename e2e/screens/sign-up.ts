import type { Page } from '@playwright/test';
import type { Person } from '../site/accounts.ts';
import { type Words, words } from '../words.ts';

export function signUpScreen(page: Page, { common, sign_up, countryvalues }: Words = words.en) {
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const choice = (name: string) => page.getByRole('combobox', { name, exact: true });
  return {
    heading: page.getByRole('heading', { level: 1, name: sign_up.title, exact: true }),
    email: field(common.email),
    username: field(common.username),
    password: page.getByLabel(common.password, { exact: true }),
    country: choice(common.country),
    zipcode: field(common.zipcode),
    day: field(common.day),
    month: choice(common.month),
    year: choice(common.year),
    marketing: page.getByRole('checkbox', { name: sign_up.marketing }),
    submit: page.getByRole('button', { name: sign_up.submit, exact: true }),
    back: page.getByRole('link', { name: common.back, exact: true }),
    alert: page.getByRole('alert'),
    done: page.getByRole('heading', { name: common.check_email, exact: true }),

    async open() {
      await page.goto('/account/signup');
    },

    /** Fills all required fields, for an adult in Germany. */
    async fill(person: Person, born = { day: '7', month: '4', year: '1989' }) {
      await this.email.fill(person.email);
      await this.username.fill(person.username);
      await this.password.fill(person.password);
      await this.country.fill(countryvalues.de.slice(0, 5));
      await page.getByRole('option', { name: countryvalues.de, exact: true }).click();
      await this.zipcode.fill('10115');
      await this.day.fill(born.day);
      await this.month.selectOption(born.month);
      await this.year.selectOption(born.year);
    },
  };
}
