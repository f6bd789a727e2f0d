import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { ApiFailure } from '../../api/client';
import { confirmReset } from '../../api/password-reset';
import { Button } from '../../components/button';
import { Checkbox } from '../../components/checkbox';
import { Failure } from '../../components/failure';
import { NewPassword } from '../../components/new-password';
import { firstError, useForm } from '../../forms/use-form';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { checkConfirmation, checkNewPassword, MIN_LENGTH } from '../../validation/password';
import styles from './password-reset.module.css';

/** Sets a new password with the mailed token. The link stays valid after an error. */
export function ResetForm({ token, onDone }: { token: string; onDone: () => void }) {
  const { t } = useTranslation();
  const form = useForm({ new_password: '', confirm_password: '' });
  const [revoking, setRevoking] = useState(false);
  const { busy, failure, send, forget } = useRequest();
  const linkExpired = failure instanceof ApiFailure && failure.refusal?.code === 'invalid_token';

  function submit(event: FormEvent) {
    event.preventDefault();
    const { new_password, confirm_password } = form.readPage();
    const errors = firstError({
      new_password: checkNewPassword(new_password),
      confirm_password: checkConfirmation(new_password, confirm_password),
    });
    forget();
    form.showErrors(errors);
    if (Object.keys(errors).length > 0) return;
    const revokesOthers = form.isTicked('revoke_others');
    send(() => confirmReset(token, new_password, confirm_password, revokesOthers), onDone);
  }

  return (
    <form className={styles.form} method="post" noValidate onSubmit={submit} ref={form.ref}>
      <Failure fallback={t('password_reset.failed')} reason={failure}>
        {linkExpired ? (
          <Link className={styles.new_link} to="/request-password">
            {t('password_reset.new_link')}
          </Link>
        ) : null}
      </Failure>
      <NewPassword
        confirmation={form.field('confirm_password')}
        labels={[t('password_reset.new_password'), t('password_reset.confirm_password')]}
        password={form.field('new_password')}
        minLength={MIN_LENGTH}
      />
      <Checkbox
        checked={revoking}
        label={t('password_reset.revoke_others')}
        name="revoke_others"
        onChange={setRevoking}
      />
      <Button busy={busy && t('password_reset.busy')}>{t('password_reset.submit')}</Button>
    </form>
  );
}
