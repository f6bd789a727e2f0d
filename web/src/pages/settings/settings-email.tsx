import type { FormEvent } from 'react';
import { changeEmail } from '../../api/email-change';
import { Address } from '../../components/address';
import { Failure } from '../../components/failure';
import { TextField } from '../../components/text-field';
import { firstError, useForm } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';
import { useProvedRequest } from '../../reauthentication/use-proved-request';
import { checkEmail } from '../../validation/email';
import styles from './settings.module.css';
import { type Editing, SaveOrCancel, SettingsEntry } from './settings-entry';

/** The account's address. A change takes effect when the mailed link is opened. */
export function EmailEntry({ email, ...editing }: Editing & { email: string }) {
  const { t } = useTranslation();
  return (
    <SettingsEntry
      {...editing}
      change={t('settings.change_email')}
      done={t('answer.email_change_sent')}
      name={t('common.email')}
      value={<Address>{email}</Address>}
    >
      <EmailForm onCancel={editing.onCancel} onDone={editing.onSaved} />
    </SettingsEntry>
  );
}

function EmailForm({ onCancel, onDone }: { onCancel: () => void; onDone: () => void }) {
  const { t } = useTranslation();
  const form = useForm({ email: '' });
  // In the profile `strict` the server asks for another proof.
  const { busy, failure, send, forget, dialog } = useProvedRequest();

  function submit(event: FormEvent) {
    event.preventDefault();
    const { email } = form.readPage();
    const errors = firstError({ email: checkEmail(email) });
    forget();
    form.showErrors(errors);
    if (Object.keys(errors).length > 0) return;
    send(() => changeEmail(email.trim()), onDone);
  }

  return (
    <>
      <form className={styles.form} method="post" noValidate onSubmit={submit} ref={form.ref}>
        <p className={styles.next}>{t('settings.email_next')}</p>
        <Failure
          fallback={t('settings.email_failed')}
          own={{ account_exists: t('error.email_taken') }}
          reason={failure}
        />
        <TextField
          {...form.field('email')}
          autoCapitalize="none"
          autoComplete="email"
          inputMode="email"
          label={t('common.email')}
          announceError
          spellCheck={false}
          type="email"
        />
        <SaveOrCancel busy={busy} onCancel={onCancel} />
      </form>
      {dialog}
    </>
  );
}
