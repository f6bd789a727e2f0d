import { useId } from 'react';
import { isRefusal } from '../../api/client';
import { confirmAuthenticator, type NewAuthenticator } from '../../api/second-factor';
import { Button } from '../../components/button';
import button from '../../components/button.module.css';
import { Failure } from '../../components/failure';
import type { useIdentityProof } from '../../features/reauthentication/use-identity-proof';
import { CodeField } from '../../features/second-factor/code-field';
import { useCopy } from '../../features/second-factor/use-copy';
import { firstError } from '../../forms/field-errors';
import { useForm } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';
import { checkCode, normalizeCode, refusedCode } from '../../validation/code';
import styles from './two-step.module.css';

export interface SetUpProps {
  authenticator: NewAuthenticator;
  proof: ReturnType<typeof useIdentityProof>;
  onCodes: (codes: readonly string[]) => void;
  /** Called to create a new secret, because this secret has expired. */
  onRestart: () => void;
}

/** Shows the secret for an authenticator app, with a form for the first code of the app. */
export function SetUp({ authenticator, proof, onCodes, onRestart }: SetUpProps) {
  const { t } = useTranslation();
  const leadId = useId();
  const { secret } = authenticator;
  const { copy, copied, failure } = useCopy();
  const form = useConfirmation(proof, onCodes);

  if (isRefusal(form.failure, 'invalid_token')) {
    return (
      <>
        <Failure
          fallback=""
          own={{ invalid_token: t('error.setup_expired') }}
          reason={form.failure}
        />
        <Button onClick={onRestart}>{t('second_factor.start_again')}</Button>
      </>
    );
  }
  return (
    <>
      <AppLink authenticator={authenticator} />
      <div className={styles.key}>
        <div>
          <p className={styles.label}>{t('second_factor.key')}</p>
          <code>{secret.match(/.{1,4}/g)?.join(' ')}</code>
        </div>
        <Button variant="secondary" onClick={() => copy(secret)}>
          {copied ?? t('second_factor.copy_key')}
        </Button>
        {failure}
      </div>
      <form {...form.props} className={styles.form}>
        <p id={leadId}>{t('second_factor.setup_code')}</p>
        <Failure fallback={t('second_factor.failed')} reason={form.failure} />
        <CodeField {...form.field('code')} describedBy={leadId} />
        <Button busy={form.busy && t('second_factor.turn_on_busy')}>
          {t('second_factor.turn_on')}
        </Button>
      </form>
    </>
  );
}

/** Shows the QR code. A touch device cannot scan its own screen, so there a link opens the app. */
function AppLink({ authenticator: { uri, qr_svg } }: Pick<SetUpProps, 'authenticator'>) {
  const { t } = useTranslation();
  const qrCode = (
    <img
      alt={t('second_factor.qr_code')}
      className={styles.qr}
      src={`data:image/svg+xml,${encodeURIComponent(qr_svg)}`}
    />
  );
  if (!window.matchMedia?.('(pointer: coarse)').matches) {
    return (
      <>
        <p>{t('second_factor.setup_lead')}</p>
        {qrCode}
      </>
    );
  }
  return (
    <>
      <p>{t('second_factor.setup_lead_touch')}</p>
      <a className={button.primary} href={uri}>
        {t('second_factor.open_app')}
      </a>
      <details className={styles.fold}>
        <summary>{t('second_factor.show_qr_code')}</summary>
        {qrCode}
      </details>
    </>
  );
}

function useConfirmation({ run, ...proof }: SetUpProps['proof'], onCodes: SetUpProps['onCodes']) {
  const form = useForm({
    fields: { code: '' },
    check: ({ code }) => firstError({ code: checkCode(code) }),
    send: ({ code }) => run(() => confirmAuthenticator(normalizeCode(code))),
    onDone: onCodes,
    onFailure,
  });

  function onFailure(reason: unknown): boolean {
    const code = refusedCode(reason);
    if (code) {
      form.showErrors({ code: { code } });
      return true;
    }
    return proof.onFailure(reason);
  }
  return form;
}
