import type { Locator, Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

/** The migration screen: requests a link, and with a token sets a password. */
export class MigrationScreen {
  readonly heading: Locator;
  readonly email: Locator;
  readonly request: Locator;
  readonly password: Locator;
  readonly confirmation: Locator;
  readonly confirm: Locator;
  readonly alert: Locator;
  readonly status: Locator;

  constructor(page: Page, { common, migration }: Words = words.en) {
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    this.heading = page.getByRole('heading', { level: 1, name: migration.title, exact: true });
    this.email = page.getByRole('textbox', { name: common.email, exact: true });
    this.request = button(migration.submit);
    this.password = page.getByLabel(migration.new_password, { exact: true });
    this.confirmation = page.getByLabel(migration.confirm_password, { exact: true });
    this.confirm = button(migration.confirm);
    this.alert = page.getByRole('alert');
    this.status = page.getByRole('status');
  }

  async choose(password: string, confirmation = password): Promise<void> {
    await this.password.fill(password);
    await this.confirmation.fill(confirmation);
    await this.confirm.click();
  }
}
