import { useEffect, useId, useRef } from 'react';
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
import { firstError } from '../forms/field-errors';
import { useForm } from '../forms/use-form';
import { useRequest } from '../forms/use-request';
import { useTranslation } from '../i18n/use-translation';
import { hasPasskeys } from '../passkeys/has-passkeys';
import { PasskeyCancelled, requestPasskey } from '../passkeys/webauthn';
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
  const form = useProofForm(withCode, ceremony.forget, () => decide(true));

  useEffect(() => {
    dialog.current?.showModal();
  }, []);

  /** Closes the dialog first, which restores the focus. */
  function decide(proved: boolean) {
    dialog.current?.close();
    onDecided(proved);
  }

  function requestPasskeyProof() {
    form.forget();
    form.showErrors({});
    ceremony.send(provePasskey, () => decide(true));
  }

  return (
    <dialog
      aria-describedby={`${id}-lead`}
      aria-labelledby={id}
      className={confirmation.dialog}
      onCancel={(event) => {
        event.preventDefault();
        decide(false);
      }}
      ref={dialog}
    >
      <h2 id={id}>{t('reauthentication.title')}</h2>
      <p id={`${id}-lead`}>{lead ?? t('reauthentication.lead')}</p>
      <Failure fallback={t('error.reauthentication_failed')} reason={ceremony.failure} />
      <Failure
        fallback={t('error.reauthentication_failed')}
        own={{ reauthentication_failed: t('reauthentication.wrong') }}
        reason={form.failure}
      />
      {passkey ? (
        <Button
          busy={ceremony.busy && t('reauthentication.busy')}
          disabled={form.busy}
          onClick={requestPasskeyProof}
        >
          {t('reauthentication.passkey')}
        </Button>
      ) : null}
      <form {...form.props} className={confirmation.buttons}>
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
          busy={form.busy && t('reauthentication.busy')}
          disabled={ceremony.busy}
          variant={passkey ? 'secondary' : 'primary'}
        >
          {t('reauthentication.submit')}
        </Button>
        <Button variant="secondary" onClick={() => decide(false)}>
          {t('settings.cancel')}
        </Button>
      </form>
    </dialog>
  );
}

const provePasskey = async () =>
  reauthenticateWithPasskey(await requestPasskey(await reauthenticationOptions()));

/** A wrong proof also returns 401; only `unauthenticated` ends the session. */
function useEnd(): (reason: unknown) => boolean {
  const ended = useSessionEnd();
  return (reason) => isRefusal(reason, 'unauthenticated') && ended(reason);
}

/** The form for the password, and for a code if the account has a second factor. */
function useProofForm(withCode: boolean, onSubmit: () => void, onProved: () => void) {
  const ended = useEnd();
  const form = useForm({
    fields: { password: '', code: '' },
    onSubmit,
    check: ({ password, code }) =>
      firstError({
        password: password ? null : 'current_password_missing',
        code: withCode ? checkCode(code) : null,
      }),
    send: ({ password, code }) =>
      reauthenticateWithPassword(password, withCode ? bareCode(code) : undefined),
    onDone: onProved,
    handled,
  });

  function handled(reason: unknown): boolean {
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

  return form;
}
