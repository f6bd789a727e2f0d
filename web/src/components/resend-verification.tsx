import { type FormEvent, useState } from 'react';
import { resendVerification } from '../api/registration';
import { collectErrors, useForm } from '../forms/use-form';
import { useRequest } from '../forms/use-request';
import { useTranslation } from '../i18n/use-translation';
import { checkEmail } from '../validation/email';
import { Button } from './button';
import { Failure } from './failure';
import { Status } from './notice';
import styles from './resend-verification.module.css';
import { TextField } from './text-field';

/** Sends the verification link again. Has an address field if `email` is not given. */
export function ResendVerification({ email }: { email?: string }) {
  const { t } = useTranslation();
  const form = useForm({ email: email ?? '' });
  const [sent, setSent] = useState(false);
  const { busy, failure, send, forget } = useRequest();

  function submit(event: FormEvent) {
    event.preventDefault();
    const address = form.readPage().email;
    const error = checkEmail(address);
    setSent(false);
    forget();
    if (error) {
      form.showErrors(collectErrors({ email: error }));
      return;
    }
    send(
      () => resendVerification(address.trim()),
      () => setSent(true),
    );
  }

  return (
    <form className={styles.resend} method="post" noValidate onSubmit={submit} ref={form.ref}>
      <h2>{t('email_verification.resend_title')}</h2>
      <Failure fallback={t('error.internal')} reason={failure} />
      {email === undefined ? (
        <TextField
          {...form.field('email')}
          autoCapitalize="none"
          autoComplete="email"
          inputMode="email"
          label={t('common.email')}
          spellCheck={false}
          type="email"
        />
      ) : null}
      <Button busy={busy && t('email_verification.resend_busy')} look="secondary">
        {t('email_verification.resend')}
      </Button>
      {sent ? (
        <Status>
          <p>{t('answer.verification_sent')}</p>
        </Status>
      ) : null}
    </form>
  );
}
