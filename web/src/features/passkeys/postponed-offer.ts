import { readChoice, saveChoice } from '../../browser/saved-choice';

const COOKIE = 'account_passkey_offer';
/** The time for which "Not now" is remembered. */
const DAYS = 90;

/** Whether the user has declined the offer of a passkey for now. */
export function isOfferPostponed(): boolean {
  return readChoice(COOKIE) !== null;
}

/** Stops the offer of a passkey in this browser for 90 days. A browser without cookies repeats the offer. */
export function postponeOffer(): void {
  saveChoice(COOKIE, 'later', DAYS);
}
