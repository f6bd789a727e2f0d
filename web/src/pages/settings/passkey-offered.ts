import type { Config } from '../../api/config';
import type { Security } from '../../api/security';
import { hasPasskeys } from '../../features/passkeys/browser';
import { isOfferPostponed } from '../../features/passkeys/postponed-offer';

/**
 * Returns whether the settings offer to create a passkey. Returns false if the user has a passkey for this site or has
 * postponed the offer, if the browser lacks passkeys, or if the security settings could not be loaded.
 */
export function isPasskeyOffered(
  { enabled, offer }: Config['passkeys'],
  security: Partial<Security>,
): boolean {
  const lacksPasskey = security.passkey_on_this_site === false;
  return enabled && offer && lacksPasskey && hasPasskeys() && !isOfferPostponed();
}
