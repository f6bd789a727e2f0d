import { isRefusal } from '../api/client';
import { report } from '../api/message';
import { dropLinkToken, type TokenName } from '../url/link-tokens';

/** The `handled` of a form whose mailed link may be spent. The screen then replaces the form, and drops the secret. */
export function handledSpentLink(name: TokenName, onSpent: (failure: unknown) => void) {
  return (failure: unknown): boolean => {
    if (!isRefusal(failure, 'invalid_token')) return false;
    dropLinkToken(name);
    report(failure);
    onSpent(failure);
    return true;
  };
}
