import { readChoice, saveChoice } from './saved-choice';

const COOKIE = 'account_passkey_offer';
/** Contract 2 section 1. */
const DAYS = 90;

/** Whether the person does not want to be offered a passkey for now. */
export function isOfferPostponed(): boolean {
  return readChoice(COOKIE) !== null;
}

/** Offers no passkey in this browser for 90 days. A browser without cookies offers one again. */
export function postponeOffer(): void {
  saveChoice(COOKIE, 'later', DAYS);
}
