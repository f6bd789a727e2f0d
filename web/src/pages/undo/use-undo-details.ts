import { useCallback } from 'react';
import { fetchUndoDetails } from '../../api/credential-undo';
import { useLinkToken } from '../../hooks/use-link-token';
import { useLoaded } from '../../hooks/use-loaded';
import type { TokenName } from '../../url/link-tokens';

/** Returns what the link that opened this screen undoes, or null while this is not known. */
export function useUndoDetails(name: TokenName) {
  const token = useLinkToken(name);
  const load = useCallback(() => fetchUndoDetails(token ?? ''), [token]);
  // A dead link is reported when the user presses the button.
  const { state } = useLoaded(token ? load : null, { onFailure: () => true });
  return state.kind === 'loaded' ? state.data : null;
}
