import { useCallback } from 'react';
import { fetchUndoDetails } from '../../api/credential-undo';
import { useLinkToken } from '../../hooks/use-link-token';
import { useLoaded } from '../../hooks/use-loaded';
import type { TokenName } from '../../url/link-tokens';

/** Returns what the mailed link would undo, or null while the details are loading and after a failure. */
export function useUndoDetails(name: TokenName) {
  const token = useLinkToken(name);
  const load = useCallback(() => fetchUndoDetails(token ?? ''), [token]);
  // An error is ignored here. If the link is no longer valid, the request of the button fails with an error message.
  const { state } = useLoaded(token ? load : null, { onFailure: () => true });
  return state.kind === 'loaded' ? state.data : null;
}
