import { createContext, useContext } from 'react';
import { isRefusal } from '../api/client';
import {
  useIdentityProof,
  useProvenRequest,
} from '../features/reauthentication/use-identity-proof';
import { useTranslation } from '../i18n/use-translation';

/** Called if the agent's own account has no second factor and no passkey, which the support view requires. */
export const OnFactorNeededContext = createContext<() => void>(() => undefined);

/**
 * For requests of the support view, which may require reauthentication. `run` sends such a request, `onFailure` is an
 * option of `useForm` or `useRequest`, and the caller renders `dialog` outside of any form.
 */
export function useAgentProof() {
  const { t } = useTranslation();
  const onFactorNeeded = useContext(OnFactorNeededContext);
  const proof = useIdentityProof(t('support.proof'));

  function onFailure(reason: unknown): boolean {
    const needsProof = isRefusal(reason, 'reauthentication_required');
    if (!needsProof || reason.refusal.methods.length !== 0) return proof.onFailure(reason);
    onFactorNeeded();
    return true;
  }
  return { ...proof, onFailure };
}

/** Like `useRequest`, for requests of the support view. The caller renders `dialog` for reauthentication. */
export const useAgentRequest = () => useProvenRequest(useAgentProof());
