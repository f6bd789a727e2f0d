import { readChoice, saveChoice } from '../../browser/saved-choice';

const OFFER_COOKIE = 'account_passkey_offer';
/** The number of days for which this browser remembers "Not now". */
const DAYS_WITHOUT_OFFER = 90;

/** Returns whether the user has chosen "Not now" when this browser offered to create a passkey. */
export function isOfferPostponed(): boolean {
  return readChoice(OFFER_COOKIE) !== null;
}

/** Stops offering a passkey in this browser for 90 days. Has no effect if the browser refuses cookies. */
export function postponeOffer(): void {
  saveChoice(OFFER_COOKIE, 'later', DAYS_WITHOUT_OFFER);
}
