import type { Locator, Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

/** The card in the settings that offers a passkey. */
export class PasskeyOffer {
  readonly card: Locator;
  readonly heading: Locator;
  readonly add: Locator;
  readonly later: Locator;
  readonly status: Locator;

  constructor(page: Page, { security }: Words = words.en) {
    this.card = page.getByRole('region', { name: security.offer_title, exact: true });
    this.heading = this.card.getByRole('heading', { level: 2 });
    this.add = this.card.getByRole('button', { name: security.passkey_add, exact: true });
    this.later = this.card.getByRole('button', { name: security.offer_later, exact: true });
    this.status = this.card.getByRole('status');
  }
}

/** Sets the cookie of "Not now". */
export async function declineOffer(page: Page): Promise<void> {
  await page.addInitScript(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the screens set it so
    document.cookie = 'account_passkey_offer=later; Path=/';
  });
}
