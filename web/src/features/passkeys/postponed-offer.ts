import { readChoice, saveChoice } from '../../browser/saved-choice';

const COOKIE_NAME = 'account_passkey_offer';
/** The number of days for which this browser remembers "Not now". */
const DAYS_WITHOUT_OFFER = 90;

/** Returns whether the user has declined the offer of a passkey for now. */
export function isOfferPostponed(): boolean {
  return readChoice(COOKIE_NAME) !== null;
}

/** Stops the offer of a passkey in this browser for 90 days. If the browser has no cookies, the offer is repeated. */
export function postponeOffer(): void {
  saveChoice(COOKIE_NAME, 'later', DAYS_WITHOUT_OFFER);
}
