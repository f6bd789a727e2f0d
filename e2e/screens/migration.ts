import type { Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

/** The migration screen: requests a link, and with a token sets a password. */
export function migrationScreen(page: Page, { common, migration }: Words = words.en) {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  return {
    heading: page.getByRole('heading', { level: 1, name: migration.title, exact: true }),
    email: page.getByRole('textbox', { name: common.email, exact: true }),
    request: button(migration.submit),
    password: page.getByLabel(migration.new_password, { exact: true }),
    confirmation: page.getByLabel(migration.confirm_password, { exact: true }),
    confirm: button(migration.confirm),
    alert: page.getByRole('alert'),
    status: page.getByRole('status'),
  };
}
