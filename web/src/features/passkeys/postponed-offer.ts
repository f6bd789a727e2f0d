import { readChoice, saveChoice } from '../../browser/saved-choice';

const COOKIE_NAME = 'account_passkey_offer';
const DAYS_WITHOUT_OFFER = 90;

/** Returns whether the user has chosen "Not now" when this browser offered to create a passkey. */
export function isOfferPostponed(): boolean {
  return readChoice(COOKIE_NAME) !== null;
}

/** Stops offering a passkey in this browser for 90 days. Has no effect if the browser refuses cookies. */
export function postponeOffer(): void {
  saveChoice(COOKIE_NAME, 'later', DAYS_WITHOUT_OFFER);
}
