import { useRequest } from '../../forms/use-request';
import { useSessionEnd } from '../../hooks/use-session-end';
import { ReauthenticationCancelled, useReauthentication } from './use-reauthentication';

/**
 * For requests that may require reauthentication. `run` sends such a request, `onFailure` is an option of `useForm` or
 * `useRequest`, and the caller renders `dialog` outside of any form.
 */
export function useIdentityProof(lead?: string) {
  const endsSession = useSessionEnd();
  const onFailure = (reason: unknown) =>
    reason instanceof ReauthenticationCancelled || endsSession(reason);
  return { ...useReauthentication(lead), onFailure };
}

/** Like `useRequest`, with a dialog for reauthentication. The caller renders `dialog`. */
export function useProvenRequest({ run, onFailure, dialog }: ReturnType<typeof useIdentityProof>) {
  const { send, ...state } = useRequest(onFailure);
  function sendWithProof<Result>(call: () => Promise<Result>, onDone: (result: Result) => void) {
    return send(() => run(call), onDone);
  }
  return { ...state, send: sendWithProof, dialog };
}

/** Like `useRequest`, for requests that may require reauthentication. The caller renders `dialog`. */
export const useReauthenticatedRequest = (lead?: string) =>
  useProvenRequest(useIdentityProof(lead));
