import { useState } from 'react';
import { isRefusal } from '../api/client';
import { useRequest } from '../forms/use-request';
import { useTranslation } from '../i18n/use-translation';
import {
  ReauthenticationCancelled,
  useReauthentication,
} from '../reauthentication/use-reauthentication';

/** The agent's own account has neither a second factor nor a passkey. */
class FactorNeeded extends Error {}

/**
 * For requests of the support view, which may require another proof of identity: after an idle session, or at assurance
 * level 1. `run` makes them, `handled` is for `useForm` and `useRequest`. Render the dialog outside of any form.
 */
export function useAgentProof() {
  const { t } = useTranslation();
  const { prove, dialog } = useReauthentication();
  const [needsFactor, setNeedsFactor] = useState(false);

  function handled(reason: unknown): boolean {
    if (reason instanceof FactorNeeded) setNeedsFactor(true);
    return reason instanceof FactorNeeded || reason instanceof ReauthenticationCancelled;
  }

  async function run<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (reason) {
      if (!isRefusal(reason, 'reauthentication_required')) throw reason;
      const methods = reason.refusal?.methods ?? [];
      if (methods.length === 0) throw new FactorNeeded();
      await prove(methods, t('support.proof'));
      return ask();
    }
  }
  return { run, handled, needsFactor, dialog };
}

/** A request of the support view, and its dialog. */
export function useAgentRequest() {
  const { run, handled, dialog } = useAgentProof();
  const { send, ...state } = useRequest(handled);
  function sendWithProof<Answer>(ask: () => Promise<Answer>, onDone: (answer: Answer) => void) {
    return send(() => run(ask), onDone);
  }
  return { ...state, send: sendWithProof, dialog };
}
