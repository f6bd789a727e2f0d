import { useRequest } from '../../forms/use-request';
import { useSessionEnd } from '../../hooks/use-session-end';
import { ReauthenticationCancelled, useReauthentication } from './use-reauthentication';

/**
 * Supports requests that may require another proof of identity. `run` sends such a request, and `onFailure` is an option
 * of `useForm` and `useRequest`. Render the dialog outside of any form.
 */
export function useIdentityProof(lead?: string) {
  const isEnd = useSessionEnd();
  const onFailure = (reason: unknown) =>
    reason instanceof ReauthenticationCancelled || isEnd(reason);
  return { ...useReauthentication(lead), onFailure };
}

/** A request that asks for a proof of identity, and the dialog for that proof. */
export function useProvenRequest({ run, onFailure, dialog }: ReturnType<typeof useIdentityProof>) {
  const { send, ...state } = useRequest(onFailure);
  function sendWithProof<Result>(call: () => Promise<Result>, onDone: (result: Result) => void) {
    return send(() => run(call), onDone);
  }
  return { ...state, send: sendWithProof, dialog };
}

/** A request that may require another proof of identity, and the dialog for that proof. */
export const useReauthenticatedRequest = (lead?: string) =>
  useProvenRequest(useIdentityProof(lead));
