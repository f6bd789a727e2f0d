import { useCallback, useState } from 'react';
import { isRefusal } from '../../api/client';
import { fetchLinkAddress } from '../../api/link-address';
import { errorMessageOf } from '../../api/message';
import { confirmPasswordReset } from '../../api/password-reset';
import { Button, ButtonLink } from '../../components/button';
import { Checkbox } from '../../components/checkbox';
import { rememberEmail } from '../../components/email-field';
import { Failure } from '../../components/failure';
import { HiddenUsername } from '../../components/hidden-username';
import { NewPassword } from '../../components/new-password';
import { Status } from '../../components/notice';
import { firstError } from '../../forms/field-errors';
import { handleSpentLink } from '../../forms/spent-link';
import { useForm } from '../../forms/use-form';
import { useLoaded } from '../../hooks/use-loaded';
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
  const { email, refusal } = useLinkAddress(token);
  const form = useForm({
    fields: { new_password: '', confirm_password: '' },
    check: ({ new_password, confirm_password }) =>
      firstError({
        new_password: checkNewPassword(new_password),
        confirm_password: checkConfirmation(new_password, confirm_password),
      }),
    send: ({ new_password, confirm_password }, page) =>
      confirmPasswordReset(token, new_password, confirm_password, page.has('revoke_others')),
    onDone(passkeys) {
      // The sign-in form after the reset is filled in with this email address.
      if (email) rememberEmail(email);
      onDone(passkeys);
    },
    refusals: { password_reused: 'new_password' },
    onFailure(failure) {
      if (!isRefusal(failure, 'password_equals_current')) return handleSpent(failure);
      form.showErrors({ new_password: { sentence: t('password_reset.same') } });
      return true;
    },
  });
  const handleSpent = handleSpentLink('token', onSpent);

  return (
    <form {...form.props}>
      {refusal ? (
        <Status neutral>
          <p>{t('common.link_spent')}</p>
          <p>{errorMessageOf(refusal, '')}</p>
          <ButtonLink to="/request-password">{t('password_reset.new_link')}</ButtonLink>
        </Status>
      ) : null}
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

/**
 * Loads the email address to which the link was mailed (an empty string if there is none). `refusal` is the error if the
 * server has refused the link. The form stays in place, because a page with a token must show the form.
 */
function useLinkAddress(token: string) {
  const [refusal, setRefusal] = useState<unknown>(null);
  const load = useCallback(() => fetchLinkAddress(token), [token]);
  const { state } = useLoaded(load, {
    onFailure(failure) {
      if (isRefusal(failure, 'invalid_token')) setRefusal(failure);
      // Other errors are ignored here, because only password managers need the email address.
      return true;
    },
  });
  return { email: state.kind === 'loaded' ? state.data.email : '', refusal };
}
