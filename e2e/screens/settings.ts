import type { Locator, Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

export class SettingsScreen {
  readonly heading: Locator;
  readonly main: Locator;
  readonly signOut: Locator;
  readonly alert: Locator;
  readonly status: Locator;
  readonly changeEmail: Locator;
  readonly email: Locator;
  readonly resendEmail: Locator;
  readonly cancelEmail: Locator;
  readonly changePassword: Locator;
  readonly currentPassword: Locator;
  readonly newPassword: Locator;
  readonly confirmation: Locator;
  readonly save: Locator;
  readonly cancel: Locator;
  readonly devices: Locator;
  readonly signOutEverywhere: Locator;
  readonly about: Locator;
  readonly aboutHeading: Locator;
  readonly showDetails: Locator;
  readonly question: Locator;
  readonly confirmSignOutEverywhere: Locator;

  constructor(
    private readonly page: Page,
    { about, common, devices, email_verification, settings }: Words = words.en,
  ) {
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const secret = (name: string) => page.getByLabel(name, { exact: true });
    this.heading = page.getByRole('heading', { level: 1, name: settings.title, exact: true });
    this.main = page.getByRole('main');
    this.signOut = button(settings.sign_out);
    this.alert = page.getByRole('alert');
    this.status = page.getByRole('status');
    this.changeEmail = button(settings.change_email);
    this.email = page.getByRole('textbox', { name: common.email, exact: true });
    this.resendEmail = button(email_verification.resend);
    this.cancelEmail = button(settings.email_cancel);
    this.changePassword = button(settings.change_password);
    this.currentPassword = secret(settings.current_password);
    this.newPassword = secret(settings.new_password);
    this.confirmation = secret(settings.confirm_new_password);
    this.save = button(settings.save);
    this.cancel = button(settings.cancel);
    this.devices = page.getByRole('listitem').filter({ hasText: / · / });
    this.signOutEverywhere = button(devices.sign_out_all);
    this.about = page.getByRole('region', { name: about.title, exact: true });
    this.aboutHeading = this.about.getByRole('heading', { name: about.title, exact: true });
    this.showDetails = button(about.show);
    this.question = page.getByRole('dialog', { name: devices.confirm_title, exact: true });
    this.confirmSignOutEverywhere = button(devices.confirm_yes);
  }

  async open(): Promise<void> {
    await this.page.goto('/account/settings');
  }

  async fillPasswords(current: string, password: string, confirmation = password): Promise<void> {
    await this.currentPassword.fill(current);
    await this.newPassword.fill(password);
    await this.confirmation.fill(confirmation);
    await this.save.click();
  }
}
