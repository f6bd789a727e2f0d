import { createContext, useContext } from 'react';
import { isRefusal } from '../api/client';
import {
  useIdentityProof,
  useProvenRequest,
} from '../features/reauthentication/use-reauthenticated-request';
import { useTranslation } from '../i18n/use-translation';

/** Called if the agent's own account has neither a second factor nor a passkey. */
export const FactorNeededContext = createContext<() => void>(() => undefined);

/**
 * Supports requests of the support view, which may require another proof of identity after an idle session or at
 * authentication level 1. `run` sends such a request, and `onFailure` is an option of `useForm` and `useRequest`. Render
 * the dialog outside of any form.
 */
export function useAgentProof() {
  const { t } = useTranslation();
  const onFactorNeeded = useContext(FactorNeededContext);
  const proof = useIdentityProof(t('support.proof'));

  function onFailure(reason: unknown): boolean {
    const needsProof = isRefusal(reason, 'reauthentication_required');
    if (!needsProof || reason.refusal.methods.length !== 0) return proof.onFailure(reason);
    onFactorNeeded();
    return true;
  }
  return { ...proof, onFailure };
}

/** A request of the support view, and the dialog for another proof of identity. */
export const useAgentRequest = () => useProvenRequest(useAgentProof());
