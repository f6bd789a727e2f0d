import type { Locator, Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

export class VerifyEmailScreen {
  readonly heading: Locator;
  readonly status: Locator;
  readonly alert: Locator;
  readonly back: Locator;
  readonly approve: Locator;
  readonly refuse: Locator;

  constructor(page: Page, { email_verification, was_this_you }: Words = words.en) {
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    this.heading = page.getByRole('heading', {
      level: 1,
      name: email_verification.title,
      exact: true,
    });
    this.status = page.getByRole('status');
    this.alert = page.getByRole('alert');
    this.back = page.getByRole('link', { name: email_verification.back, exact: true });
    this.approve = button(was_this_you.yes);
    this.refuse = button(was_this_you.no);
  }
}
