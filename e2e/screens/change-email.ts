import type { Locator, Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

export class ChangeEmailScreen {
  readonly heading: Locator;
  readonly undoneHeading: Locator;
  readonly status: Locator;
  readonly alert: Locator;
  readonly back: Locator;
  readonly undo: Locator;

  constructor(page: Page, { change_email }: Words = words.en) {
    this.heading = page.getByRole('heading', { level: 1, name: change_email.title, exact: true });
    this.undoneHeading = page.getByRole('heading', {
      level: 1,
      name: change_email.undo_done_title,
      exact: true,
    });
    this.status = page.getByRole('status');
    this.alert = page.getByRole('alert');
    this.back = page.getByRole('link', { name: change_email.back, exact: true });
    this.undo = page.getByRole('button', { name: change_email.undo_submit, exact: true });
  }
}
