import type { ComponentType } from 'react';
import type { Config } from '../../api/config';
import { logFailure } from '../../api/message';
import { fetchPasskeys } from '../../api/passkey-list';
import { hasPasskeys } from '../../features/passkeys/browser';
import { isOfferPostponed } from '../../features/passkeys/postponed-offer';

/** The maximum wait for the offer in milliseconds. The settings show no offer that comes later. */
const OFFER_TIMEOUT_MS = 1500;

/**
 * Loads the card that offers a passkey. Returns null if the user signed in without a password, has a passkey on this
 * site, or if the search failed.
 */
export async function findOffer({
  enabled,
  offer,
}: Config['passkeys']): Promise<ComponentType | null> {
  if (!enabled || !offer || !hasPasskeys() || isOfferPostponed()) return null;
  const timeout = new Promise<null>((resolve) => setTimeout(() => resolve(null), OFFER_TIMEOUT_MS));
  return Promise.race([search(), timeout]).catch(logFailure);
}

async function search(): Promise<ComponentType | null> {
  const { passkeys } = await fetchPasskeys();
  if (passkeys.some(({ this_site }) => this_site)) return null;
  const { default: card } = await import('../security/passkey-offer');
  return card;
}
