import { useState } from 'react';
import { resendVerification } from '../api/registration';
import { collectErrors } from '../forms/field-errors';
import { useForm } from '../forms/use-form';
import { useTranslation } from '../i18n/use-translation';
import { checkEmail } from '../validation/email';
import { Button } from './button';
import { EmailField } from './email-field';
import { Failure } from './failure';
import { Status } from './notice';
import styles from './resend-verification.module.css';

/** A form that requests another link for the verification of `email`, or of an email address that the user types. */
export function ResendVerification({ email }: { email?: string }) {
  const { t } = useTranslation();
  const [isSent, setIsSent] = useState(false);
  const form = useForm({
    fields: { email: email ?? '' },
    onSubmit: () => setIsSent(false),
    check: (typed) => collectErrors({ email: checkEmail(typed.email) }),
    send: (typed) => resendVerification(typed.email.trim()),
    onDone: () => setIsSent(true),
  });

  return (
    <form {...form.props} className={styles.resend}>
      {email === undefined ? null : <h2>{t('email_verification.resend_title')}</h2>}
      <Failure fallback={t('error.internal')} reason={form.failure} sendsLink />
      {email === undefined ? (
        <EmailField {...form.field('email')} autoComplete="email" enterKeyHint="send" />
      ) : null}
      <Button busy={form.busy && t('email_verification.resend_busy')} variant="secondary">
        {t(`email_verification.${email === undefined ? 'resend_new' : 'resend'}`)}
      </Button>
      {isSent ? (
        <div ref={scrollIntoView}>
          <Status>{t('answer.verification_sent')}</Status>
        </div>
      ) : null}
    </form>
  );
}

/** On a phone the answer would appear below the edge of the screen. */
const scrollIntoView = (answer: HTMLElement | null) => answer?.scrollIntoView({ block: 'nearest' });
