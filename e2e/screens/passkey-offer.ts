import type { Page } from '@playwright/test';
import { type Words, words } from '../words.ts';

/** The card in the settings that offers a passkey. */
export function passkeyOffer(page: Page, { security }: Words = words.en) {
  const card = page.getByRole('region', { name: security.offer_title, exact: true });
  return {
    card,
    heading: card.getByRole('heading', { level: 2 }),
    add: card.getByRole('button', { name: security.passkey_add, exact: true }),
    later: card.getByRole('button', { name: security.offer_later, exact: true }),
    status: card.getByRole('status'),
  };
}

/** Sets the cookie of "Not now". */
export async function declineOffer(page: Page): Promise<void> {
  await page.addInitScript(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the screens set it so
    document.cookie = 'account_passkey_offer=later; Path=/';
  });
}
