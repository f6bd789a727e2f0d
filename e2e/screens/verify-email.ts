import type { Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

export function verifyEmailScreen(
  page: Page,
  { email_verification, was_this_you }: Words = words.en,
) {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  return {
    heading: page.getByRole('heading', { level: 1, name: email_verification.title, exact: true }),
    status: page.getByRole('status'),
    alert: page.getByRole('alert'),
    back: page.getByRole('link', { name: email_verification.back, exact: true }),
    approve: button(was_this_you.yes),
    refuse: button(was_this_you.no),
  };
}
