import { type ComponentProps, type ReactNode, useRef, useState } from 'react';
import { isRefusal, type ProofMethod } from '../../api/client';
import { loadScript } from '../../loading/lazy-page';

const importDialog = () => import('./reauthentication-dialog');
type Dialog = Awaited<ReturnType<typeof importDialog>>['ReauthenticationDialog'];

/** The user has closed the dialog, so the call was not made. */
export class ReauthenticationCancelled extends Error {}

type Run = <Result>(call: () => Promise<Result>) => Promise<Result>;

/** Opens the dialog. Rejects with `ReauthenticationCancelled` if the identity is not proved. */
type Prove = (methods: readonly ProofMethod[], lead?: string) => Promise<void>;

interface Question extends Omit<ComponentProps<Dialog>, 'onDecided'> {
  Dialog: Dialog;
}

/**
 * Runs calls that may return `reauthentication_required`: opens a dialog in that case, and repeats the call after the
 * proof. The caller renders the dialog. `lead` states the reason for the proof; absent: a change of the ways into the
 * account.
 */
export function useReauthentication(lead?: string): { run: Run; prove: Prove; dialog: ReactNode } {
  const [question, setQuestion] = useState<Question | null>(null);
  const decide = useRef<((proved: boolean) => void) | null>(null);

  const prove: Prove = async (methods, reason = lead) => {
    const { ReauthenticationDialog: Dialog } = await loadScript(importDialog);
    setQuestion({ Dialog, methods, lead: reason });
    const proved = await new Promise<boolean>((resolve) => {
      decide.current = resolve;
    });
    setQuestion(null);
    if (!proved) throw new ReauthenticationCancelled();
  };
  const run: Run = async (call) => {
    try {
      return await call();
    } catch (reason) {
      if (!isRefusal(reason, 'reauthentication_required')) throw reason;
      const { methods = ['password'] } = reason.refusal;
      // No method of the account reaches the level that the call requires.
      if (methods.length === 0) throw reason;
      await prove(methods);
      return call();
    }
  };
  const dialog = question ? (
    <question.Dialog
      lead={question.lead}
      methods={question.methods}
      onDecided={(proved) => decide.current?.(proved)}
    />
  ) : null;
  return { run, prove, dialog };
}
