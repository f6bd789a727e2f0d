import type { Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

/** The screen that requests a reset link. */
export function requestPasswordScreen(page: Page, { common, password_reset }: Words = words.en) {
  return {
    heading: page.getByRole('heading', {
      level: 1,
      name: password_reset.request_title,
      exact: true,
    }),
    email: page.getByRole('textbox', { name: common.email, exact: true }),
    submit: page.getByRole('button', { name: password_reset.request_submit, exact: true }),
    back: page.getByRole('link', { name: common.back, exact: true }),
    alert: page.getByRole('alert'),
    status: page.getByRole('status'),

    async open() {
      await page.goto('/account/request-password');
    },

    async ask(email: string) {
      await this.email.fill(email);
      await this.submit.click();
    },
  };
}

/** The screen that a reset link opens. */
export function resetPasswordScreen(page: Page, { common, password_reset }: Words = words.en) {
  return {
    heading: page.getByRole('heading', { level: 1, name: password_reset.title, exact: true }),
    password: page.getByLabel(password_reset.new_password, { exact: true }),
    confirmation: page.getByLabel(password_reset.confirm_password, { exact: true }),
    submit: page.getByRole('button', { name: password_reset.submit, exact: true }),
    alert: page.getByRole('alert'),
    status: page.getByRole('status'),
    signIn: page.getByRole('link', { name: common.go_to_sign_in, exact: true }),

    async choose(password: string) {
      await this.password.fill(password);
      await this.confirmation.fill(password);
      await this.submit.click();
    },
  };
}
