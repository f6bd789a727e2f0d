import type { Config } from '../../api/config';
import { logFailure } from '../../api/message';
import { fetchPasskeys } from '../../api/passkey-list';
import { hasPasskeys } from '../../features/passkeys/browser';
import { isOfferPostponed } from '../../features/passkeys/postponed-offer';

/** The maximum wait for the list of passkeys in milliseconds. The settings screen is not shown before. */
const TIMEOUT_MS = 1500;

/**
 * Returns whether the settings offer to create a passkey. Returns false if the user has a passkey for this site or has
 * postponed the offer, if the browser lacks passkeys, or if the passkeys cannot be loaded in time.
 */
export async function isPasskeyOffered({ enabled, offer }: Config['passkeys']): Promise<boolean> {
  if (!enabled || !offer || !hasPasskeys() || isOfferPostponed()) return false;
  const timeout = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), TIMEOUT_MS));
  const search = fetchPasskeys().then(({ passkeys }) => !passkeys.some((one) => one.this_site));
  return (await Promise.race([search, timeout]).catch(logFailure)) ?? false;
}
