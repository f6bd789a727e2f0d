import type { Locator, Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

/** The screen that requests a reset link. */
export class RequestPasswordScreen {
  readonly heading: Locator;
  readonly email: Locator;
  readonly submit: Locator;
  readonly back: Locator;
  readonly alert: Locator;
  readonly status: Locator;

  constructor(
    private readonly page: Page,
    { common, password_reset }: Words = words.en,
  ) {
    this.heading = page.getByRole('heading', {
      level: 1,
      name: password_reset.request_title,
      exact: true,
    });
    this.email = page.getByRole('textbox', { name: common.email, exact: true });
    this.submit = page.getByRole('button', { name: password_reset.request_submit, exact: true });
    this.back = page.getByRole('link', { name: common.back, exact: true });
    this.alert = page.getByRole('alert');
    this.status = page.getByRole('status');
  }

  async open(): Promise<void> {
    await this.page.goto('/account/request-password');
  }

  async ask(email: string): Promise<void> {
    await this.email.fill(email);
    await this.submit.click();
  }
}

/** The screen that a reset link opens. */
export class ResetPasswordScreen {
  readonly heading: Locator;
  readonly password: Locator;
  readonly confirmation: Locator;
  readonly submit: Locator;
  readonly alert: Locator;
  readonly status: Locator;
  readonly signIn: Locator;
  readonly backToLogin: Locator;

  constructor(page: Page, { common, password_reset }: Words = words.en) {
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    this.heading = page.getByRole('heading', { level: 1, name: password_reset.title, exact: true });
    this.password = page.getByLabel(password_reset.new_password, { exact: true });
    this.confirmation = page.getByLabel(password_reset.confirm_password, { exact: true });
    this.submit = page.getByRole('button', { name: password_reset.submit, exact: true });
    this.alert = page.getByRole('alert');
    this.status = page.getByRole('status');
    this.signIn = link(common.go_to_sign_in);
    this.backToLogin = link(password_reset.back_to_login);
  }

  async choose(password: string, confirmation = password): Promise<void> {
    await this.password.fill(password);
    await this.confirmation.fill(confirmation);
    await this.submit.click();
  }
}
