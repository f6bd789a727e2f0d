import { useCallback } from 'react';
import { Link } from 'wouter';
import { Button } from '../../components/button';
import { EmailField } from '../../components/email-field';
import { ReloadButton } from '../../components/failure';
import { Alert, Status } from '../../components/notice';
import { PasswordField } from '../../components/password-field';
import { useTranslation } from '../../i18n/use-translation';
import { PasskeyButton } from './passkey-button';
import styles from './sign-in.module.css';
import { isWrongPassword, messageOf, type SignInOptions, useSignIn } from './use-sign-in';

interface SignInFormProps extends SignInOptions {
  /** Whether the form is not shown yet, because the screen looks for a session. */
  inactive: boolean;
}

export function SignInForm({ inactive, ...options }: SignInFormProps) {
  const { t } = useTranslation();
  const signIn = useSignIn(options);
  const { form, failure, setFailure, signedOutDevice, setSignedOutDevice, alert } = signIn;
  const message = failure ? messageOf(failure) : null;
  const error = failure?.reason && 'error' in failure.reason ? failure.reason.error : null;

  const { setPasskeyCancelled } = signIn;
  const showCancelled = useCallback(() => setPasskeyCancelled(true), [setPasskeyCancelled]);

  /** After a device was signed out, focuses the button of the failed sign-in, because the form is still filled in. */
  function focusSubmitButton(device: string) {
    const buttonSelector =
      failure?.source === 'passkey' ? '[data-passkeys] button' : '[type="submit"]';
    setFailure(null);
    setSignedOutDevice(device);
    form.ref.current?.querySelector<HTMLElement>(buttonSelector)?.focus();
  }

  return (
    <form {...form.props}>
      {failure?.Stopped ? (
        <failure.Stopped
          email={() => form.read().email.trim()}
          onExpired={() =>
            setFailure({ source: 'code', reason: { text: 'sign_in.devices_expired' } })
          }
          onRepeat={() => form.ref.current?.requestSubmit()}
          onSlotFreed={focusSubmitButton}
          reason={error}
        />
      ) : failure ? (
        <Alert ref={alert}>
          {message || failure.source ? null : <p>{t('error.invalid_credentials')}</p>}
          {message ? <p>{message}</p> : null}
          <ReloadButton failure={error} />
        </Alert>
      ) : null}
      {signedOutDevice ? (
        <Status>{t('sign_in.device_gone', { device: signedOutDevice })}</Status>
      ) : null}
      <EmailField {...form.field('email')} autoComplete="username webauthn" />
      <PasswordField
        {...form.field('password')}
        autoComplete="current-password"
        enterKeyHint="go"
        label={t('common.password')}
      />
      <Button busy={form.busy && t('sign_in.busy')}>{t('sign_in.submit')}</Button>
      {signIn.passkeyCancelled ? <Status neutral>{t('sign_in.passkey_cancelled')}</Status> : null}
      <PasskeyButton
        onCancelled={showCancelled}
        onFailure={signIn.passkeyFailed}
        onStart={signIn.forget}
        onSuccess={options.onSuccess}
        inactive={inactive || form.busy}
      />
      <div className={styles.links}>
        <Link to="/request-password">{t('sign_in.forgot')}</Link>
        {failure && isWrongPassword(failure) ? (
          <Link to="/migration">{t('sign_in.move')}</Link>
        ) : null}
      </div>
    </form>
  );
}
