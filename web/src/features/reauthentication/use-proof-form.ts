import { isRefusal } from '../../api/client';
import { firstError } from '../../forms/field-errors';
import { useForm } from '../../forms/use-form';
import { useSessionEnd } from '../../hooks/use-session-end';
import { checkCode, normalizeCode, refusedCodeError } from '../../validation/code';

/** Returns a function that handles an ended session. A wrong proof has status 401 too, but another error code. */
export function useHandleUnauthenticated(): (reason: unknown) => boolean {
  const endsSession = useSessionEnd();
  return (reason) => isRefusal(reason, 'unauthenticated') && endsSession(reason);
}

interface ProofForm<Result> {
  /** Whether a code of the authenticator app is required in addition to the password. */
  withCode: boolean;
  send: (password: string, code?: string) => Promise<Result>;
  onSubmit?: () => void;
  onDone: (result: Result) => void;
}

/** The state of a form for the password, and for a code if the account has an authenticator app. */
export function useProofForm<Result>({ withCode, send, onSubmit, onDone }: ProofForm<Result>) {
  const endsSession = useHandleUnauthenticated();
  const form = useForm({
    fields: { password: '', code: '' },
    ...(onSubmit && { onSubmit }),
    check: ({ password, code }) =>
      firstError({
        password: password ? null : 'missing_field',
        code: withCode ? checkCode(code) : null,
      }),
    send: ({ password, code }) => send(password, withCode ? normalizeCode(code) : undefined),
    onDone,
    onFailure,
  });

  function onFailure(reason: unknown): boolean {
    if (endsSession(reason)) return true;
    const error = refusedCodeError(reason, form.read().code);
    if (error) {
      form.showErrors({ code: error });
      return true;
    }
    // If a code was sent, the response does not tell which of the two is wrong, so no field shows the error.
    if (withCode || !isRefusal(reason, 'reauthentication_failed')) return false;
    form.showErrors({ password: { code: 'current_password_mismatch' } });
    return true;
  }
  return form;
}
