import { changePassword } from '../../api/password-change';
import type { User } from '../../api/session';
import { Checkbox } from '../../components/checkbox';
import { Failure } from '../../components/failure';
import { HiddenUsername } from '../../components/hidden-username';
import { NewPassword } from '../../components/new-password';
import { PasswordField } from '../../components/password-field';
import { useIdentityProof } from '../../features/reauthentication/use-identity-proof';
import { firstError } from '../../forms/field-errors';
import { useForm } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';
import { checkConfirmation, checkNewPassword, MIN_LENGTH } from '../../validation/password';
import styles from '../settings/settings.module.css';
import { type Editing, SaveOrCancel } from '../settings/settings-entry';

/** The form that changes the password, in a script of its own, because the estimate of the strength is large. */
export function PasswordForm({ user, save, onCancel, onSaved }: Editing & { user: User }) {
  const { t } = useTranslation();
  // If `security.profile` is `strict`, the server requires reauthentication.
  const { run, onFailure, dialog } = useIdentityProof();
  const form = useForm({
    fields: { current_password: '', new_password: '', confirm_password: '' },
    check: (typed) =>
      firstError({
        current_password: typed.current_password === '' ? 'current_password_missing' : null,
        new_password: checkNewPassword(typed.new_password),
        confirm_password: checkConfirmation(typed.new_password, typed.confirm_password),
      }),
    send(typed, page) {
      const forget_other_devices = page.has('forget_other_devices');
      return save(() => run(() => changePassword({ ...typed, forget_other_devices })));
    },
    onDone: onSaved,
    refusals: {
      current_password_mismatch: 'current_password',
      password_equals_current: 'new_password',
      password_reused: 'new_password',
    },
    onFailure,
  });

  return (
    <>
      <form {...form.props} className={styles.form}>
        <p className={styles.next}>{t('settings.password_next')}</p>
        <Failure fallback={t('settings.password_failed')} reason={form.failure} />
        <HiddenUsername email={user.email} />
        <PasswordField
          {...form.field('current_password')}
          autoComplete="current-password"
          label={t('settings.current_password')}
        />
        <NewPassword
          confirmation={form.field('confirm_password')}
          form={form.ref}
          labels={[t('settings.new_password'), t('settings.confirm_new_password')]}
          password={form.field('new_password')}
          personal={[user.email, user.username]}
          minLength={MIN_LENGTH}
        />
        <Checkbox
          defaultChecked
          label={t('settings.password_forget')}
          name="forget_other_devices"
        />
        <SaveOrCancel busy={form.busy} onCancel={onCancel} />
      </form>
      {dialog}
    </>
  );
}
