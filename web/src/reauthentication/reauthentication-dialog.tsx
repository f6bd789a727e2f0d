import { type FormEvent, useEffect, useId, useRef } from 'react';
import { isRefusal, type ProofMethod } from '../api/client';
import {
  reauthenticateWithPasskey,
  reauthenticateWithPassword,
  reauthenticationOptions,
} from '../api/reauthentication';
import { Button } from '../components/button';
import confirmation from '../components/confirmation.module.css';
import { Failure } from '../components/failure';
import { PasswordField } from '../components/password-field';
import { firstError, useForm } from '../forms/use-form';
import { useRequest } from '../forms/use-request';
import { useTranslation } from '../i18n/use-translation';
import { hasPasskeys } from '../passkeys/has-passkeys';
import { askForPasskey, PasskeyCancelled } from '../passkeys/webauthn';
import { CodeField } from '../second-factor/code-field';
import { useSessionEnd } from '../use-session-end';
import { bareCode, checkCode, refusedCode } from '../validation/code';

interface ReauthenticationDialogProps {
  methods: readonly ProofMethod[];
  /** The reason for the proof. Absent: a change of the sign-in methods. */
  lead?: string | undefined;
  onDecided: (proved: boolean) => void;
}

/** Requests another proof of identity: a passkey, or the password and, with a second factor, a code. */
export function ReauthenticationDialog({ methods, lead, onDecided }: ReauthenticationDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const passkey = methods.includes('passkey') && hasPasskeys();
  const withCode = methods.includes('totp');
  const ended = useEnd();
  const ceremony = useRequest((reason) => reason instanceof PasskeyCancelled || ended(reason));
  const typed = useTypedProof(withCode, () => decide(true));
  const { form } = typed;

  useEffect(() => {
    dialog.current?.showModal();
  }, []);

  /** Closes the dialog first, which restores the focus. */
  function decide(proved: boolean) {
    dialog.current?.close();
    onDecided(proved);
  }

  function askPasskey() {
    typed.forget();
    form.showErrors({});
    ceremony.send(provePasskey, () => decide(true));
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    ceremony.forget();
    typed.submit();
  }

  return (
    <dialog
      aria-labelledby={id}
      className={confirmation.dialog}
      onCancel={(event) => {
        event.preventDefault();
        decide(false);
      }}
      ref={dialog}
    >
      <h2 id={id}>{t('reauthentication.title')}</h2>
      <p>{lead ?? t('reauthentication.lead')}</p>
      <Failure fallback={t('error.reauthentication_failed')} reason={ceremony.failure} />
      <Failure
        fallback={t('error.reauthentication_failed')}
        own={{ reauthentication_failed: t('reauthentication.wrong') }}
        reason={typed.failure}
      />
      {passkey ? (
        <Button disabled={typed.busy} onClick={askPasskey}>
          {t('reauthentication.passkey')}
        </Button>
      ) : null}
      <form
        className={confirmation.buttons}
        method="post"
        noValidate
        onSubmit={submit}
        ref={form.ref}
      >
        <PasswordField
          {...form.field('password')}
          autoComplete="current-password"
          label={t('common.password')}
        />
        {withCode ? (
          <>
            <CodeField {...form.field('code')} describedBy={`${id}-code`} orRecovery />
            <p className={confirmation.hint} id={`${id}-code`}>
              {t('reauthentication.code_hint')}
            </p>
          </>
        ) : null}
        <Button
          busy={(ceremony.busy || typed.busy) && t('reauthentication.busy')}
          look={passkey ? 'secondary' : 'primary'}
        >
          {t('reauthentication.submit')}
        </Button>
        <Button look="secondary" onClick={() => decide(false)}>
          {t('settings.cancel')}
        </Button>
      </form>
    </dialog>
  );
}

const provePasskey = async () =>
  reauthenticateWithPasskey(await askForPasskey(await reauthenticationOptions()));

/** A wrong proof also returns 401; only `unauthenticated` ends the session. */
function useEnd(): (reason: unknown) => boolean {
  const ended = useSessionEnd();
  return (reason) => isRefusal(reason, 'unauthenticated') && ended(reason);
}

/** The form for the password, and for a code if the account has a second factor. */
function useTypedProof(withCode: boolean, onProved: () => void) {
  const form = useForm({ password: '', code: '' });
  const ended = useEnd();
  const { busy, failure, send, forget } = useRequest(handle);

  function handle(reason: unknown): boolean {
    if (ended(reason)) return true;
    const code = refusedCode(reason);
    if (code) {
      form.showErrors({ code: { code } });
      return true;
    }
    // With a code the response does not reveal which of the two is wrong.
    if (withCode || !isRefusal(reason, 'reauthentication_failed')) return false;
    form.showErrors({ password: { code: 'current_password_mismatch' } });
    return true;
  }

  function submit() {
    const { password, code } = form.readPage();
    const errors = firstError({
      password: password ? null : 'current_password_missing',
      code: withCode ? checkCode(code) : null,
    });
    forget();
    form.showErrors(errors);
    if (Object.keys(errors).length > 0) return;
    send(
      () => reauthenticateWithPassword(password, withCode ? bareCode(code) : undefined),
      onProved,
    );
  }

  return { form, submit, busy, failure, forget };
}
