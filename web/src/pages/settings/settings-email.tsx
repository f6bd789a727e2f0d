import { useEffect } from 'react';
import { changeEmail } from '../../api/email-change';
import { EmailField } from '../../components/email-field';
import { Failure } from '../../components/failure';
import { WrappingEmail } from '../../components/wrapping-email';
import { useProof } from '../../features/reauthentication/use-reauthenticated-request';
import { firstError } from '../../forms/field-errors';
import { useForm } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';
import { checkEmail } from '../../validation/email';
import styles from './settings.module.css';
import { type Editing, SaveOrCancel, SettingsEntry } from './settings-entry';

/** The entry for the account's email address. A change takes effect when the mailed link is opened. */
export function EmailEntry({ email, ...editing }: Editing & { email: string }) {
  const { t } = useTranslation();
  return (
    <SettingsEntry
      {...editing}
      change={t('settings.change_email')}
      done={t('answer.email_change_sent')}
      name={t('common.email')}
      value={<WrappingEmail>{email}</WrappingEmail>}
    >
      <EmailForm {...editing} email={email} />
    </SettingsEntry>
  );
}

function EmailForm({ email: current, save, onCancel, onSaved }: Editing & { email: string }) {
  const { t } = useTranslation();
  // In the profile `strict` the server requires another proof of identity.
  const { run, handled, dialog } = useProof();
  const form = useForm({
    fields: { email: current },
    check: ({ email }) => firstError({ email: checkEmail(email) }),
    send: ({ email }) => save(() => run(() => changeEmail(email.trim()))),
    onDone: onSaved,
    handled,
  });

  // The current email address is selected, so that typing replaces the text and a small change stays possible.
  useEffect(() => form.ref.current?.querySelector('input')?.select(), [form.ref]);

  return (
    <>
      <form {...form.props} className={styles.form}>
        <p className={styles.next}>{t('settings.email_next')}</p>
        <Failure
          fallback={t('settings.email_failed')}
          own={{ account_exists: t('error.email_taken') }}
          reason={form.failure}
        />
        <EmailField {...form.field('email')} autoComplete="email" enterKeyHint="send" />
        <SaveOrCancel busy={form.busy} onCancel={onCancel} />
      </form>
      {dialog}
    </>
  );
}
