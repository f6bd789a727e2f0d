import type { Locator, Page } from '@playwright/test';
import type { Person } from '../site/accounts.ts';
import { fill, type Words, words } from '../words.ts';

export class SignInScreen {
  readonly heading: Locator;
  readonly email: Locator;
  readonly password: Locator;
  readonly clearEmail: Locator;
  readonly clearPassword: Locator;
  readonly showPassword: Locator;
  readonly hidePassword: Locator;
  readonly submit: Locator;
  readonly forgot: Locator;
  readonly create: Locator;
  readonly move: Locator;
  readonly alert: Locator;
  readonly status: Locator;

  constructor(
    private readonly page: Page,
    { common, sign_in }: Words = words.en,
  ) {
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    const clear = (field: string) => button(fill(common.clear, { field }));
    const password = { field: common.password };
    this.heading = page.getByRole('heading', { level: 1, name: sign_in.title, exact: true });
    this.email = page.getByRole('textbox', { name: common.email, exact: true });
    this.password = page.getByLabel(common.password, { exact: true });
    this.clearEmail = clear(common.email);
    this.clearPassword = clear(common.password);
    this.showPassword = button(fill(common.show_password, password));
    this.hidePassword = button(fill(common.hide_password, password));
    this.submit = button(sign_in.submit);
    this.forgot = link(sign_in.forgot);
    this.create = link(sign_in.create);
    this.move = link(sign_in.move);
    this.alert = page.getByRole('alert');
    this.status = page.getByRole('status');
  }

  async open(): Promise<void> {
    await this.page.goto('/account/');
  }

  async signIn(person: Pick<Person, 'email' | 'password'>): Promise<void> {
    await this.email.fill(person.email);
    await this.password.fill(person.password);
    await this.submit.click();
  }
}
