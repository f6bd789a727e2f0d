import { useCallback, useState } from 'react';
import { fetchUndoDetails } from '../../api/credential-undo';
import { handleSpentLink } from '../../forms/spent-link';
import { useLinkToken } from '../../hooks/use-link-token';
import { useLoaded } from '../../hooks/use-loaded';
import type { TokenName } from '../../url/link-tokens';

/**
 * Loads what the mailed link would undo. `details` is null while the details are loading and after a failure. `isSpent`:
 * whether the server has already refused the link. The screen then reports this and asks for no confirmation.
 */
export function useUndoDetails(name: TokenName) {
  const token = useLinkToken(name);
  const [isSpent, setIsSpent] = useState(false);
  const load = useCallback(() => fetchUndoDetails(token ?? ''), [token]);
  const { state } = useLoaded(token ? load : null, {
    onFailure(failure) {
      handleSpentLink(name, () => setIsSpent(true))(failure);
      // Other errors are ignored here. The request of the button reports them.
      return true;
    },
  });
  return { details: state.kind === 'loaded' ? state.data : null, isSpent };
}
