import { useCallback } from 'react';
import { fetchLinkAddress } from '../../api/link-address';
import { confirmPasswordReset } from '../../api/password-reset';
import { Button } from '../../components/button';
import { Checkbox } from '../../components/checkbox';
import { Failure } from '../../components/failure';
import { HiddenUsername, useEmail } from '../../components/hidden-username';
import { NewPassword } from '../../components/new-password';
import { firstError } from '../../forms/field-errors';
import { handleSpentLink } from '../../forms/spent-link';
import { useForm } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';
import { checkConfirmation, checkNewPassword, MIN_LENGTH } from '../../validation/password';

interface ResetFormProps {
  token: string;
  /** Receives the names of the passkeys, or an empty list unless the user has asked to sign other devices out. */
  onDone: (passkeys: readonly string[]) => void;
  /** Called if the mailed link is no longer valid. */
  onSpent: (failure: unknown) => void;
}

/** The form that sets a new password with the token of a mailed link. */
export function ResetForm({ token, onDone, onSpent }: ResetFormProps) {
  const { t } = useTranslation();
  const email = useEmail(useCallback(() => fetchLinkAddress(token), [token]));
  const form = useForm({
    fields: { new_password: '', confirm_password: '' },
    check: ({ new_password, confirm_password }) =>
      firstError({
        new_password: checkNewPassword(new_password),
        confirm_password: checkConfirmation(new_password, confirm_password),
      }),
    send: ({ new_password, confirm_password }, page) =>
      confirmPasswordReset(token, new_password, confirm_password, page.has('revoke_others')),
    onDone,
    refusals: { password_equals_current: 'new_password', password_reused: 'new_password' },
    onFailure: handleSpentLink('token', onSpent),
  });

  return (
    <form {...form.props}>
      <Failure fallback={t('password_reset.failed')} reason={form.failure} />
      <HiddenUsername email={email} />
      <NewPassword
        confirmation={form.field('confirm_password')}
        form={form.ref}
        labels={[t('password_reset.new_password'), t('password_reset.confirm_password')]}
        password={form.field('new_password')}
        personal={[email]}
        minLength={MIN_LENGTH}
      />
      <Checkbox label={t('password_reset.revoke_others')} name="revoke_others" />
      <Button busy={form.busy && t('password_reset.busy')}>{t('password_reset.submit')}</Button>
    </form>
  );
}
