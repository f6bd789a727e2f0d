import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { ApiFailure } from '../api/client';
import { confirmReset } from '../api/password-reset';
import { Button } from '../components/button';
import { Failure } from '../components/failure';
import { NewPassword } from '../components/new-password';
import { firstFault, useForm } from '../forms/use-form';
import { useRequest } from '../forms/use-request';
import { checkConfirmation, checkNewPassword, SHORTEST } from '../validation/password';
import styles from './password-reset.module.css';

/** A new password by the mailed token. A mistake leaves the link alive. */
export function ResetForm({ token, onDone }: { token: string; onDone: () => void }) {
  const { t } = useTranslation();
  const form = useForm({ new_password: '', confirm_password: '' });
  const { busy, failure, send, forget } = useRequest();
  const spent = failure instanceof ApiFailure && failure.refusal?.code === 'invalid_token';

  function submit(event: FormEvent) {
    event.preventDefault();
    const { new_password, confirm_password } = form.readPage();
    const faults = firstFault({
      new_password: checkNewPassword(new_password),
      confirm_password: checkConfirmation(new_password, confirm_password),
    });
    forget();
    form.fail(faults);
    if (Object.keys(faults).length > 0) return;
    send(() => confirmReset(token, new_password, confirm_password), onDone);
  }

  return (
    <form className={styles.form} method="post" noValidate onSubmit={submit} ref={form.ref}>
      <Failure otherwise={t('password_reset.failed')} reason={failure}>
        {spent ? (
          <Link className={styles.new_link} to="/request-password">
            {t('password_reset.new_link')}
          </Link>
        ) : null}
      </Failure>
      <NewPassword
        confirmation={form.field('confirm_password')}
        labels={[t('password_reset.new_password'), t('password_reset.confirm_password')]}
        password={form.field('new_password')}
        shortest={SHORTEST}
      />
      <Button busy={busy && t('password_reset.busy')}>{t('password_reset.submit')}</Button>
    </form>
  );
}
