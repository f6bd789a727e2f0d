import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { report, sentenceOf } from '../api/message';
import { resendVerification } from '../api/registration';
import { faultsOf, useForm } from '../forms/use-form';
import { checkEmail } from '../validation/email';
import { Button } from './button';
import { Alert, Status } from './notice';
import styles from './resend-verification.module.css';
import { TextField } from './text-field';

/** Sends the link that proves an address once more; asks for the address where it is not known. */
export function ResendVerification({ email }: { email?: string }) {
  const { t } = useTranslation();
  const form = useForm({ email: email ?? '' });
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    const address = form.readPage().email;
    const fault = checkEmail(address);
    setSent(false);
    setFailure(null);
    if (fault) {
      form.fail(faultsOf({ email: fault }));
      return;
    }
    setBusy(true);
    try {
      await resendVerification(address.trim());
      setSent(true);
    } catch (reason) {
      report(reason);
      setFailure(sentenceOf(reason, t('error.internal')));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form className={styles.resend} method="post" noValidate onSubmit={submit} ref={form.ref}>
      <h2>{t('email_verification.resend_title')}</h2>
      {failure ? (
        <Alert>
          <p>{failure}</p>
        </Alert>
      ) : null}
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
