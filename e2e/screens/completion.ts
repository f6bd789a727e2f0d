import type { Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

/** The completion form of a migration. */
export function completionScreen(page: Page, { common, completion, migration }: Words = words.en) {
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
  };
}
