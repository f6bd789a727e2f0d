import { isRefusal } from '../api/client';
import { logFailure } from '../api/message';
import { dropLinkToken, type TokenName } from '../url/link-tokens';

/** Returns the option `onFailure` of a form for a mailed link. If the link is spent, `onSpent` replaces the form. */
export function handleSpentLink(name: TokenName, onSpent: (failure: unknown) => void) {
  return (failure: unknown): boolean => {
    if (!isRefusal(failure, 'invalid_token')) return false;
    dropLinkToken(name);
    logFailure(failure);
    onSpent(failure);
    return true;
  };
}
