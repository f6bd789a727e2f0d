import type { Page } from '@playwright/test';
import type { Person } from '../site/accounts.ts';
import { fill, type Words, words } from '../words.ts';

export function signInScreen(page: Page, { common, sign_in }: Words = words.en) {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  return {
    heading: page.getByRole('heading', { level: 1, name: sign_in.title, exact: true }),
    email: page.getByRole('textbox', { name: common.email, exact: true }),
    password: page.getByLabel(common.password, { exact: true }),
    clearEmail: button(fill(common.clear, { field: common.email })),
    clearPassword: button(fill(common.clear, { field: common.password })),
    submit: button(sign_in.submit),
    forgot: link(sign_in.forgot),
    create: link(sign_in.create),
    move: link(sign_in.move),
    alert: page.getByRole('alert'),
    status: page.getByRole('status'),

    async open() {
      await page.goto('/account/');
    },

    async signIn(person: Pick<Person, 'email' | 'password'>) {
      await this.email.fill(person.email);
      await this.password.fill(person.password);
      await this.submit.click();
    },
  };
}
