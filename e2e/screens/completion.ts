import type { Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

/** The completion form of a migration. */
export function completionScreen(
  page: Page,
  { common, completion, countryvalues, migration }: Words = words.en,
) {
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const choice = (name: string) => page.getByRole('combobox', { name, exact: true });
  return {
    heading: page.getByRole('heading', { level: 1, name: completion.title, exact: true }),
    firstName: field(completion.first_name),
    lastName: field(completion.last_name),
    country: choice(common.country),
    day: field(common.day),
    month: choice(common.month),
    year: choice(common.year),
    zipcode: field(common.zipcode),
    password: page.getByLabel(common.password, { exact: true }),
    confirmation: page.getByLabel(migration.confirm_password, { exact: true }),
    newsletter: page.getByRole('checkbox', { name: completion.newsletter }),
    submit: page.getByRole('button', { name: completion.submit, exact: true }),
    back: page.getByRole('link', { name: completion.back, exact: true }),
    alert: page.getByRole('alert'),
    status: page.getByRole('status'),

    /** Fills all required fields, for an adult in Portland. */
    async fill(password: string, born = { day: '7', month: '4', year: '1989' }) {
      await this.firstName.fill('Ada');
      await this.lastName.fill('Couch');
      await this.country.fill(countryvalues.us.slice(0, 5));
      await page.getByRole('option', { name: countryvalues.us, exact: true }).click();
      await this.day.fill(born.day);
      await this.month.selectOption(born.month);
      await this.year.selectOption(born.year);
      await this.zipcode.fill('97201-1234');
      await this.password.fill(password);
      await this.confirmation.fill(password);
    },
  };
}
