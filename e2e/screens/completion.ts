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
    status: page.getByRole('status'),

    /** Fills all required fields, for an adult in Portland. */
    async fill(password: string) {
      await this.firstName.fill('Ada');
      await this.lastName.fill('Couch');
      await this.country.fill(countryvalues.us.slice(0, 5));
      await page.getByRole('option', { name: countryvalues.us, exact: true }).click();
      await this.day.fill('7');
      await this.month.selectOption('4');
      await this.year.selectOption('1989');
      await this.zipcode.fill('97201-1234');
      await this.password.fill(password);
      await this.confirmation.fill(password);
    },
  };
}
