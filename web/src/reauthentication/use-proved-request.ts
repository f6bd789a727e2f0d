import { useRequest } from '../forms/use-request';
import { useSessionEnd } from '../use-session-end';
import { ReauthenticationCancelled, useReauthentication } from './use-reauthentication';

/** A request that may require another proof of identity. Render the dialog outside of any form. */
export function useProvedRequest() {
  const { run, dialog } = useReauthentication();
  const ended = useSessionEnd();
  const { send, ...state } = useRequest(
    (reason) => reason instanceof ReauthenticationCancelled || ended(reason),
  );
  function sendProved<Answer>(ask: () => Promise<Answer>, onDone: (answer: Answer) => void) {
    return send(() => run(ask), onDone);
  }
  return { ...state, send: sendProved, dialog };
}
