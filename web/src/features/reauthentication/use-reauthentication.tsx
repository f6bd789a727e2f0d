import { type ComponentProps, useRef, useState } from 'react';
import { isRefusal, type ProofMethod } from '../../api/client';
import type { Elements } from '../../components/elements';
import { loadScript } from '../../loading/lazy-page';

const importDialog = () => import('./reauthentication-dialog');
type Dialog = Awaited<ReturnType<typeof importDialog>>['ReauthenticationDialog'];

/** The user has closed the dialog for reauthentication, so the request was not repeated. */
export class ReauthenticationCancelled extends Error {}

type Run = <Result>(call: () => Promise<Result>) => Promise<Result>;

/** Opens the dialog for reauthentication. Rejects with `ReauthenticationCancelled` if the user closes the dialog. */
type Prove = (methods: readonly ProofMethod[], lead?: string) => Promise<void>;

interface Question extends Omit<ComponentProps<Dialog>, 'onDecided'> {
  Dialog: Dialog;
}

/**
 * Runs API calls that may fail with `reauthentication_required`. After this error, a dialog asks for reauthentication,
 * and then the call is repeated. The caller renders `dialog`. `lead` is the introductory sentence of the dialog; the
 * default sentence is about a change of the authentication methods.
 */
export function useReauthentication(lead?: string): { run: Run; prove: Prove; dialog: Elements } {
  const [question, setQuestion] = useState<Question | null>(null);
  const decide = useRef<((isProved: boolean) => void) | null>(null);

  const prove: Prove = async (methods, reason = lead) => {
    const { ReauthenticationDialog: Dialog } = await loadScript(importDialog);
    setQuestion({ Dialog, methods, lead: reason });
    const isProved = await new Promise<boolean>((resolve) => {
      decide.current = resolve;
    });
    setQuestion(null);
    if (!isProved) throw new ReauthenticationCancelled();
  };
  const run: Run = async (call) => {
    try {
      return await call();
    } catch (reason) {
      if (!isRefusal(reason, 'reauthentication_required')) throw reason;
      const { methods = ['password'] } = reason.refusal;
      // The account has no authentication method that is strong enough for this call.
      if (methods.length === 0) throw reason;
      await prove(methods);
      return call();
    }
  };
  const dialog = question ? (
    <question.Dialog
      lead={question.lead}
      methods={question.methods}
      onDecided={(isProved) => decide.current?.(isProved)}
    />
  ) : null;
  return { run, prove, dialog };
}
