import { type FormEvent, useState } from 'react';
import { changePassword } from '../../api/password-change';
import type { User } from '../../api/session';
import { Checkbox } from '../../components/checkbox';
import { Failure } from '../../components/failure';
import { NewPassword } from '../../components/new-password';
import { PasswordField } from '../../components/password-field';
import { firstError, useForm } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';
import { useProvedRequest } from '../../reauthentication/use-proved-request';
import { checkConfirmation, checkNewPassword, MIN_LENGTH } from '../../validation/password';
import styles from './settings.module.css';
import { type Editing, SaveOrCancel, SettingsEntry } from './settings-entry';

/** The password entry, with a masked value. */
export function PasswordEntry({ user, ...editing }: Editing & { user: User }) {
  const { t } = useTranslation();
  return (
    <SettingsEntry
      {...editing}
      change={t('settings.change_password')}
      done={t('answer.password_changed')}
      name={t('common.password')}
      value={<span aria-hidden="true">••••••••</span>}
    >
      <PasswordForm onCancel={editing.onCancel} onDone={editing.onSaved} user={user} />
    </SettingsEntry>
  );
}

interface PasswordFormProps {
  user: User;
  onCancel: () => void;
  onDone: () => void;
}

function PasswordForm({ user, onCancel, onDone }: PasswordFormProps) {
  const { t } = useTranslation();
  const form = useForm({ current_password: '', new_password: '', confirm_password: '' });
  const [forgetting, setForgetting] = useState(true);
  // In the profile `strict` the server asks for another proof.
  const { busy, failure, send, forget, dialog } = useProvedRequest();

  function submit(event: FormEvent) {
    event.preventDefault();
    const typed = form.readPage();
    const errors = firstError({
      current_password: typed.current_password === '' ? 'current_password_missing' : null,
      new_password: checkNewPassword(typed.new_password),
      confirm_password: checkConfirmation(typed.new_password, typed.confirm_password),
    });
    forget();
    form.showErrors(errors);
    if (Object.keys(errors).length > 0) return;
    send(() => changePassword({ ...typed, forget_other_devices: forgetting }), onDone);
  }

  return (
    <>
      <form className={styles.form} method="post" noValidate onSubmit={submit} ref={form.ref}>
        <p className={styles.next}>{t('settings.password_next')}</p>
        <Failure fallback={t('settings.password_failed')} reason={failure} />
        {/* Gives password managers the username. */}
        <input autoComplete="username" hidden name="username" readOnly value={user.email} />
        <PasswordField
          {...form.field('current_password')}
          autoComplete="current-password"
          label={t('settings.current_password')}
          announceError
        />
        <NewPassword
          confirmation={form.field('confirm_password')}
          labels={[t('settings.new_password'), t('settings.confirm_new_password')]}
          password={form.field('new_password')}
          personal={[user.email, user.username]}
          minLength={MIN_LENGTH}
        />
        <Checkbox
          checked={forgetting}
          label={t('settings.password_forget')}
          name="forget_other_devices"
          onChange={setForgetting}
        />
        <SaveOrCancel busy={busy} onCancel={onCancel} />
      </form>
      {dialog}
    </>
  );
}
