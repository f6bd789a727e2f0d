import { useEffect, useRef, useState } from 'react';
import { isRefusal } from '../../api/client';
import { cancelEmailChange, changeEmail } from '../../api/email-change';
import { Button } from '../../components/button';
import { EmailField } from '../../components/email-field';
import { Failure } from '../../components/failure';
import { Interpolated } from '../../components/interpolated';
import result from '../../components/result.module.css';
import { WrappingEmail } from '../../components/wrapping-email';
import {
  useIdentityProof,
  useReauthenticatedRequest,
} from '../../features/reauthentication/use-identity-proof';
import { firstError } from '../../forms/field-errors';
import { useForm } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';
import { checkEmail } from '../../validation/email';
import styles from './settings.module.css';
import { type Editing, SaveOrCancel, SettingsEntry } from './settings-entry';

interface EmailEntryProps extends Editing {
  email: string;
  /** The new email address of a pending change, or null if no change is pending. */
  pending: string | null;
  onPending: (email: string | null) => void;
  /** Loads the account again, because another device may have confirmed the new address. */
  onChanged: () => void;
}

/** The last action on a pending change. The name is also the last part of the key of its message. */
type Action = 'sent_again' | 'kept' | 'confirmed';

/** The settings entry for the email address. The email address changes only when the user opens the mailed link. */
export function EmailEntry(props: EmailEntryProps) {
  const { email, pending, onPending, onChanged, ...editing } = props;
  const { t } = useTranslation();
  const [last, setLast] = useState<Action | null>(null);
  const change = useRef<HTMLButtonElement>(null);

  function finish(action: Action) {
    setLast(action);
    editing.onSaved();
    if (action === 'sent_again') return;
    // The focus moves to the "Change" button, because the focused button is removed with the pending change.
    change.current?.focus();
    onPending(null);
    if (action === 'confirmed') onChanged();
  }

  function showPending(address: string) {
    setLast(null);
    onPending(address);
    editing.onSaved();
  }

  /** Requests a change. The server ends a pending change even if it refuses the new address as taken. */
  async function request(address: string) {
    try {
      await changeEmail(address);
    } catch (reason) {
      if (isRefusal(reason, 'account_exists')) onPending(null);
      throw reason;
    }
  }

  return (
    <SettingsEntry
      {...editing}
      change={t('settings.change_email')}
      done={t(last ? `settings.email_${last}` : 'answer.email_change_sent')}
      name={t('common.email')}
      notice={
        editing.open ? null : (
          <PendingChange {...editing} email={pending} onDone={finish} request={request} />
        )
      }
      ref={change}
      value={<WrappingEmail>{email}</WrappingEmail>}
    >
      <EmailForm {...editing} email={email} onSent={showPending} request={request} />
    </SettingsEntry>
  );
}

interface PendingChangeProps extends Pick<Editing, 'save' | 'saving'> {
  /** The new address of the pending change, or null. */
  email: string | null;
  onDone: (action: Action) => void;
  request: (email: string) => Promise<void>;
}

/**
 * Shows to which email address the link was sent. The user can request the link again or cancel the change. The error
 * that ended a pending change stays visible.
 */
function PendingChange({ email, save, saving, onDone, request }: PendingChangeProps) {
  const { t } = useTranslation();
  const { busy, failure, send, dialog } = useReauthenticatedRequest();
  const [running, setRunning] = useState<Action | null>(null);

  function start(action: Action, call: () => Promise<Action | undefined>) {
    setRunning(action);
    send(
      () => save(call),
      (outcome) => onDone(outcome ?? action),
    );
  }

  /** Sends the link again, unless another device has opened it meanwhile. */
  async function sendAgain(address: string): Promise<Action> {
    try {
      await request(address);
      return 'sent_again';
    } catch (reason) {
      if (isRefusal(reason, 'email_unchanged')) return 'confirmed';
      throw reason;
    }
  }
  const isBusy = (action: Action) => busy && running === action;
  const message = <Failure fallback={t('settings.email_failed')} reason={failure} sendsLink />;

  if (!email) return failure ? <dd>{message}</dd> : null;
  return (
    <dd className={`${styles.buttons} ${result.settling}`}>
      <p className={styles.pending}>
        <Interpolated
          parts={{ email: <WrappingEmail>{email}</WrappingEmail> }}
          text={t('settings.email_pending', { email: '{email}' })}
        />
      </p>
      {message}
      <Button
        busy={isBusy('sent_again') && t('email_verification.resend_busy')}
        disabled={saving}
        variant="secondary"
        onClick={() => start('sent_again', () => sendAgain(email))}
      >
        {t('email_verification.resend')}
      </Button>
      <Button
        busy={isBusy('kept') && t('settings.saving')}
        disabled={saving}
        label={t('settings.email_cancel')}
        variant="secondary"
        onClick={() => start('kept', cancelEmailChange)}
      >
        {t('settings.cancel')}
      </Button>
      {dialog}
    </dd>
  );
}

interface EmailFormProps extends Pick<Editing, 'save' | 'onCancel'> {
  email: string;
  /** Called with the new email address when the link was sent. */
  onSent: (email: string) => void;
  request: (email: string) => Promise<void>;
}

function EmailForm({ email: current, save, onCancel, onSent, request }: EmailFormProps) {
  const { t } = useTranslation();
  // If `security.profile` is `strict`, the server requires reauthentication.
  const { run, onFailure, dialog } = useIdentityProof();
  const form = useForm({
    fields: { email: current },
    check: ({ email }) => firstError({ email: checkEmail(email) }),
    send: ({ email }) => save(() => run(() => request(email.trim()))),
    onDone: (_, { email }) => onSent(email.trim()),
    refusals: { account_exists: 'email', email_unchanged: 'email' },
    onFailure,
  });

  // The text is selected, so that typing replaces it, but the user can also correct a part of it.
  useEffect(() => form.ref.current?.querySelector('input')?.select(), [form.ref]);

  return (
    <>
      <form {...form.props} className={styles.form}>
        <p className={styles.next}>{t('settings.email_next')}</p>
        <Failure fallback={t('settings.email_failed')} reason={form.failure} />
        <EmailField
          {...form.field('email')}
          autoComplete="email"
          enterKeyHint="send"
          remembers={false}
        />
        <SaveOrCancel busy={form.busy} onCancel={onCancel} />
      </form>
      {dialog}
    </>
  );
}
