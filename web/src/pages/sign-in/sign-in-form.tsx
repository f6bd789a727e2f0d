import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../components/button';
import { Alert, Status } from '../../components/notice';
import { PasswordField } from '../../components/password-field';
import { TextField } from '../../components/text-field';
import { useTranslation } from '../../i18n/use-translation';
import { DeviceChoice } from './device-choice';
import styles from './sign-in.module.css';
import { useSignIn } from './use-sign-in';

export function SignInForm({ onSuccess }: { onSuccess: () => void }) {
  const { t } = useTranslation();
  const { submit, form, busy, failure, setFailure, alert } = useSignIn(onSuccess);
  // The name of the device that was signed out to free a slot.
  const [left, setLeft] = useState<string | null>(null);

  function start(event: FormEvent) {
    setLeft(null);
    submit(event);
  }

  /** The form is still filled in: focuses the submit button. */
  function goOn(device: string) {
    setFailure(null);
    setLeft(device);
    form.ref.current?.querySelector<HTMLElement>('[type="submit"]')?.focus();
  }

  return (
    <form className={styles.form} method="post" noValidate onSubmit={start} ref={form.ref}>
      {failure ? (
        <Alert ref={alert}>
          <p>{t('error.invalid_credentials')}</p>
          {failure.reason ? <p>{failure.reason}</p> : null}
          <Link className={styles.move} to="/migration">
            {t('sign_in.move')}
          </Link>
        </Alert>
      ) : null}
      {failure?.full ? (
        <DeviceChoice
          {...failure.full}
          onExpired={() => setFailure({ reason: t('sign_in.devices_expired'), full: null })}
          onSlotFreed={({ name }) => goOn(name)}
        />
      ) : null}
      {left ? (
        <Status>
          <p>{t('sign_in.device_gone', { device: left })}</p>
        </Status>
      ) : null}
      <TextField
        {...form.field('email')}
        autoCapitalize="none"
        autoComplete="username"
        inputMode="email"
        label={t('common.email')}
        spellCheck={false}
        type="email"
      />
      <PasswordField
        {...form.field('password')}
        autoComplete="current-password"
        label={t('common.password')}
      />
      <Button busy={busy && t('sign_in.busy')}>{t('sign_in.submit')}</Button>
      <div className={styles.links}>
        <Link to="/request-password">{t('sign_in.forgot')}</Link>
      </div>
    </form>
  );
}
