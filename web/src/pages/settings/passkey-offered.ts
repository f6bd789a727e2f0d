import type { Config } from '../../api/config';
import { logFailure } from '../../api/message';
import { fetchPasskeys } from '../../api/passkey-list';
import { hasPasskeys } from '../../features/passkeys/browser';
import { isOfferPostponed } from '../../features/passkeys/postponed-offer';

/** The maximum wait for the list of passkeys in milliseconds, because the settings wait for the list. */
const TIMEOUT_MS = 1500;

/**
 * Returns whether the settings offer a passkey. They offer none if the user has a passkey on this site or has postponed
 * the offer, if the browser supports no passkeys, or if the list of passkeys is late or cannot be loaded.
 */
export async function isPasskeyOffered({ enabled, offer }: Config['passkeys']): Promise<boolean> {
  if (!enabled || !offer || !hasPasskeys() || isOfferPostponed()) return false;
  const timeout = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), TIMEOUT_MS));
  const search = fetchPasskeys().then(({ passkeys }) => !passkeys.some((one) => one.this_site));
  return (await Promise.race([search, timeout]).catch(logFailure)) ?? false;
}
