import type { Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

export function settingsScreen(
  page: Page,
  { about, common, devices, email_verification, settings }: Words = words.en,
) {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const secret = (name: string) => page.getByLabel(name, { exact: true });
  const aboutRegion = page.getByRole('region', { name: about.title, exact: true });
  return {
    heading: page.getByRole('heading', { level: 1, name: settings.title, exact: true }),
    main: page.getByRole('main'),
    signOut: button(settings.sign_out),
    alert: page.getByRole('alert'),
    status: page.getByRole('status'),
    changeEmail: button(settings.change_email),
    email: page.getByRole('textbox', { name: common.email, exact: true }),
    resendEmail: button(email_verification.resend),
    cancelEmail: button(settings.email_cancel),
    changePassword: button(settings.change_password),
    currentPassword: secret(settings.current_password),
    newPassword: secret(settings.new_password),
    confirmation: secret(settings.confirm_new_password),
    save: button(settings.save),
    devices: page.getByRole('listitem').filter({ hasText: / · / }),
    signOutEverywhere: button(devices.sign_out_all),
    about: aboutRegion,
    aboutHeading: aboutRegion.getByRole('heading', { name: about.title, exact: true }),
    showDetails: button(about.show),
    question: page.getByRole('dialog', { name: devices.confirm_title, exact: true }),
    confirmSignOutEverywhere: button(devices.confirm_yes),

    async open() {
      await page.goto('/account/settings');
    },
  };
}
