import { type ComponentProps, type ReactNode, useRef, useState } from 'react';
import { isRefusal, type ProofMethod } from '../../api/client';
import { loadScript } from '../../loading/lazy-page';

const importDialog = () => import('./reauthentication-dialog');
type Dialog = Awaited<ReturnType<typeof importDialog>>['ReauthenticationDialog'];

/** The error if the user has closed the dialog for the proof of identity, so that the call was not repeated. */
export class ReauthenticationCancelled extends Error {}

type Run = <Result>(call: () => Promise<Result>) => Promise<Result>;

/** Opens the dialog for a proof of identity. Rejects with `ReauthenticationCancelled` if the user closes the dialog. */
type Prove = (methods: readonly ProofMethod[], lead?: string) => Promise<void>;

interface Question extends Omit<ComponentProps<Dialog>, 'onDecided'> {
  Dialog: Dialog;
}

/**
 * Runs calls that may return `reauthentication_required`. If a call does, opens a dialog and repeats the call after the
 * proof of identity. The caller renders the dialog. `lead` states the reason for the proof. The default reason is a
 * change of the authentication methods.
 */
export function useReauthentication(lead?: string): { run: Run; prove: Prove; dialog: ReactNode } {
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
      // No authentication method of the account reaches the authentication level that the call requires.
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
