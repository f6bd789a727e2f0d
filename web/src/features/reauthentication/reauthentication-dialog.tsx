import { useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { ProofMethod } from '../../api/client';
import {
  reauthenticateWithPasskey,
  reauthenticateWithPassword,
  reauthenticationOptions,
} from '../../api/reauthentication';
import { currentUser } from '../../api/session';
import { BackLink } from '../../components/back-link';
import { Button } from '../../components/button';
import confirmation from '../../components/confirmation.module.css';
import { Failure } from '../../components/failure';
import { HiddenUsername } from '../../components/hidden-username';
import { Status } from '../../components/notice';
import { PasswordField } from '../../components/password-field';
import result from '../../components/result.module.css';
import { useRequest } from '../../forms/use-request';
import { useEmail } from '../../hooks/use-email';
import { useTranslation } from '../../i18n/use-translation';
import { hasPasskeys, PasskeyCancelled } from '../passkeys/browser';
import { requestPasskey } from '../passkeys/webauthn';
import { CodeField } from '../second-factor/code-field';
import { LostFactorView } from './lost-factor-view';
import { useHandleUnauthenticated, useProofForm } from './use-proof-form';

interface ReauthenticationDialogProps {
  methods: readonly ProofMethod[];
  /** The introductory sentence. The default sentence is about a change of the authentication methods. */
  lead?: string | undefined;
  onDecided: (isProved: boolean) => void;
}

/** The dialog that asks for reauthentication. `methods` are the accepted authentication methods. */
export function ReauthenticationDialog({ methods, lead, onDecided }: ReauthenticationDialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // The factor that the user cannot use, so that the dialog offers its reset instead of the proof.
  const [lost, setLost] = useState<'passkey' | 'code' | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  useEffect(() => {
    dialog.current?.showModal();
  }, []);

  /** The dialog closes first, because closing it moves the focus back, and the callback may move the focus. */
  function decide(isProved: boolean) {
    dialog.current?.close();
    onDecided(isProved);
  }

  /** The first control takes the focus, because the focused button was removed. */
  function returnToProof() {
    flushSync(() => setLost(null));
    dialog.current?.querySelector<HTMLElement>('button, input:not([hidden])')?.focus();
  }

  return (
    <dialog
      aria-describedby={lost ? undefined : `${id}-lead`}
      aria-labelledby={id}
      className={`${confirmation.dialog} ${result.settling}`}
      // Some browsers close a dialog at the second Escape, even if the event `cancel` is prevented.
      closedby={isBusy ? 'none' : 'closerequest'}
      onCancel={(event) => {
        event.preventDefault();
        if (!isBusy) decide(false);
      }}
      ref={dialog}
    >
      {lost ? (
        <LostFactorView
          busy={isBusy}
          headingId={id}
          lost={lost}
          onBack={lost === 'code' ? returnToProof : () => decide(false)}
          onBusy={setIsBusy}
          onClose={() => decide(false)}
        />
      ) : (
        <Proof id={id} lead={lead} methods={methods} onDecided={decide} onLost={setLost} />
      )}
    </dialog>
  );
}

interface ProofProps extends ReauthenticationDialogProps {
  /** The id of the heading. The introductory paragraph has the same id with the suffix `-lead`. */
  id: string;
  onLost: (factor: 'passkey' | 'code') => void;
}

/** The choice of a proof: a passkey, or the password with a code if the account has an authenticator app. */
function Proof({ id, methods, lead, onDecided, onLost }: ProofProps) {
  const { t } = useTranslation();
  const withPasskey = methods.includes('passkey') && hasPasskeys();
  const withPassword = methods.includes('password');
  const withCode = methods.includes('totp');
  const email = useEmail(currentUser);
  const endsSession = useHandleUnauthenticated();
  const [isCancelled, setIsCancelled] = useState(false);
  const ceremony = useRequest((reason) => {
    const cancelled = reason instanceof PasskeyCancelled;
    setIsCancelled(cancelled);
    return cancelled || endsSession(reason);
  });
  const form = useProofForm({
    withCode,
    send: reauthenticateWithPassword,
    onSubmit() {
      ceremony.forget();
      setIsCancelled(false);
    },
    onDone: () => onDecided(true),
  });

  function requestPasskeyProof() {
    form.forget();
    form.showErrors({});
    setIsCancelled(false);
    ceremony.send(provePasskey, () => onDecided(true));
  }

  const cancel = (
    <Button variant="secondary" onClick={() => onDecided(false)}>
      {t('settings.cancel')}
    </Button>
  );
  return (
    <>
      <h2 id={id}>{t('reauthentication.title')}</h2>
      <p id={`${id}-lead`}>{lead ?? t('reauthentication.lead')}</p>
      <Failure fallback={t('error.reauthentication_failed')} reason={ceremony.failure} />
      <Failure
        fallback={t('error.reauthentication_failed')}
        own={{ reauthentication_failed: t('reauthentication.wrong') }}
        reason={form.failure}
      />
      {isCancelled ? (
        <Status neutral>
          {t(withPassword ? 'sign_in.passkey_cancelled' : 'security.passkey_failed')}
        </Status>
      ) : null}
      {withPasskey ? (
        <Button
          busy={ceremony.busy && t('reauthentication.busy')}
          disabled={form.busy}
          onClick={requestPasskeyProof}
        >
          {t('reauthentication.passkey')}
        </Button>
      ) : null}
      {withPassword ? (
        <form {...form.props} className={confirmation.buttons}>
          <HiddenUsername email={email} />
          <PasswordField
            {...form.field('password')}
            autoComplete="current-password"
            enterKeyHint={withCode ? 'next' : 'go'}
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
            variant={withPasskey ? 'secondary' : 'primary'}
          >
            {t('reauthentication.submit')}
          </Button>
          {withCode ? (
            <Button disabled={ceremony.busy} variant="secondary" onClick={() => onLost('code')}>
              {t('sign_in.lost_codes')}
            </Button>
          ) : null}
          {cancel}
          <BackLink to="/request-password">{t('sign_in.forgot')}</BackLink>
        </form>
      ) : (
        <>
          {withPasskey ? null : <p>{t('reauthentication.unsupported')}</p>}
          {methods.includes('passkey') ? (
            <Button disabled={ceremony.busy} variant="secondary" onClick={() => onLost('passkey')}>
              {t('reauthentication.lost_passkey')}
            </Button>
          ) : null}
          {cancel}
        </>
      )}
    </>
  );
}

const provePasskey = async () =>
  reauthenticateWithPasskey(await requestPasskey(await reauthenticationOptions()));
