import { useState } from 'react';
import { isRefusal } from '../api/client';
import { useRequest } from '../forms/use-request';
import { dropLinkToken, type TokenName } from '../url/link-tokens';
import { useLinkToken } from './use-link-token';

/**
 * The action of a mailed link, which requires a click, because mail scanners open links. `redeem` sends the secret. If
 * `redeem` succeeds or the link is spent, the secret is removed from the history state.
 */
export function useLinkAction<Result>(name: TokenName, redeem: (token: string) => Promise<Result>) {
  const token = useLinkToken(name);
  const [done, setDone] = useState<{ result: Result } | null>(null);
  const { busy, failure, send } = useRequest((reason) => {
    if (isRefusal(reason, 'invalid_token')) dropLinkToken(name);
    return false;
  });

  function confirm() {
    if (token === null) return;
    send(
      () => redeem(token),
      (result) => {
        dropLinkToken(name);
        setDone({ result });
      },
    );
  }

  return {
    /** The result of the action. Null before the action. */
    done,
    busy,
    failure,
    confirm,
    /** Whether the URL has no secret. */
    missing: token === null,
    /** Whether the link was used or replaced, or has expired. */
    spent: isRefusal(failure, 'invalid_token'),
  };
}
