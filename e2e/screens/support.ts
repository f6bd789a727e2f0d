import type { Locator, Page } from '@playwright/test';
import { words } from '../words.ts';

const { support } = words.en;

/** The support view. */
export class SupportScreen {
  readonly heading: Locator;
  readonly query: Locator;
  readonly facts: Locator;
  readonly status: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { level: 1, name: support.title });
    this.query = page.getByLabel(support.query, { exact: true });
    this.facts = page.locator('dl');
    this.status = page.getByRole('status');
  }

  open() {
    return this.page.goto('/account/support');
  }

  async find(text: string): Promise<void> {
    await this.query.fill(text);
    await this.button(support.find).click();
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** Presses an action and confirms it with a reason. */
  async act(name: string, reason: string): Promise<void> {
    await this.button(name).click();
    await this.page.getByLabel(support.reason, { exact: true }).fill(reason);
    await this.button(support.confirm).click();
  }
}
