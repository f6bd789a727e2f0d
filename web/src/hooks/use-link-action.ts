import { isRefusal } from '../api/client';
import { useRequest } from '../forms/use-request';
import { dropLinkToken, type TokenName } from '../url/link-tokens';
import { useLinkResult, useLinkToken } from './use-link-token';

/**
 * The action of a mailed link, which requires a click, because mail scanners open links. `redeem` sends the secret of
 * the link. The history state then contains the result instead of the secret, or nothing if the link is invalid.
 */
export function useLinkAction<Result>(name: TokenName, redeem: (token: string) => Promise<Result>) {
  const token = useLinkToken(name);
  const { done, keep } = useLinkResult<Result>(name);
  const { busy, failure, send } = useRequest((reason) => {
    if (isRefusal(reason, 'invalid_token')) dropLinkToken(name);
    return false;
  });

  function confirm() {
    if (token === null) return;
    send(() => redeem(token), keep);
  }

  return {
    /** The result of the action, or null before the action. */
    done,
    /** Sets the result without a request. */
    keep,
    busy,
    failure,
    confirm,
    /** Whether the link contained no secret. */
    missing: token === null,
    /** Whether the server has refused the link, because it was used, was replaced or has expired. */
    spent: isRefusal(failure, 'invalid_token'),
  };
}
