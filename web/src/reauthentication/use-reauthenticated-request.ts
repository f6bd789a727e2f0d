import { useRequest } from '../forms/use-request';
import { useSessionEnd } from '../use-session-end';
import { ReauthenticationCancelled, useReauthentication } from './use-reauthentication';

/**
 * For requests that may require another proof of identity: `run` makes them, `handled` is for `useForm` and
 * `useRequest`. Render the dialog outside of any form.
 */
export function useProof(lead?: string) {
  const ended = useSessionEnd();
  const handled = (reason: unknown) => reason instanceof ReauthenticationCancelled || ended(reason);
  return { ...useReauthentication(lead), handled };
}

/** A request that may need another proof of the identity, and its dialog. */
export function useReauthenticatedRequest(lead?: string) {
  const { run, handled, dialog } = useProof(lead);
  const { send, ...state } = useRequest(handled);
  function sendWithProof<Answer>(ask: () => Promise<Answer>, onDone: (answer: Answer) => void) {
    return send(() => run(ask), onDone);
  }
  return { ...state, send: sendWithProof, dialog };
}
