import type { Page } from '@playwright/test';
import { words } from '../words.ts';

const { support } = words.en;

export function supportScreen(page: Page) {
  return {
    heading: page.getByRole('heading', { level: 1, name: support.title }),
    query: page.getByLabel(support.query, { exact: true }),
    facts: page.locator('dl'),
    status: page.getByRole('status'),

    open() {
      return page.goto('/account/support');
    },

    async find(text: string) {
      await this.query.fill(text);
      await this.button(support.find).click();
    },

    button(name: string) {
      return page.getByRole('button', { name, exact: true });
    },

    /** Presses an action and confirms it with a reason. */
    async act(name: string, reason: string) {
      await this.button(name).click();
      await page.getByLabel(support.reason, { exact: true }).fill(reason);
      await this.button(support.confirm).click();
    },
  };
}
