import { isRefusal } from '../api/client';
import { logFailure } from '../api/message';
import { dropLinkToken, type TokenName } from '../url/link-tokens';

/** Returns an `onFailure` for a form of a mailed link. If the link is no longer valid, `onSpent` replaces the form. */
export function handleSpentLink(name: TokenName, onSpent: (failure: unknown) => void) {
  return (failure: unknown): boolean => {
    if (!isRefusal(failure, 'invalid_token')) return false;
    dropLinkToken(name);
    logFailure(failure);
    onSpent(failure);
    return true;
  };
}
