import type { Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

export function changeEmailScreen(page: Page, { change_email }: Words = words.en) {
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  return {
    heading: heading(change_email.title),
    undoneHeading: heading(change_email.undo_done_title),
    status: page.getByRole('status'),
    back: page.getByRole('link', { name: change_email.back, exact: true }),
    undo: page.getByRole('button', { name: change_email.undo_submit, exact: true }),
  };
}
