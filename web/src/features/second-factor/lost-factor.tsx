import { type ComponentType, useLayoutEffect } from 'react';
import { isRefusal } from '../../api/client';
import { requestFactorReset } from '../../api/second-factor-reset';
import { Button } from '../../components/button';
import confirmation from '../../components/confirmation.module.css';
import type { Elements } from '../../components/elements';
import { Failure } from '../../components/failure';
import { useConfig } from '../../config';
import type { FieldProps } from '../../forms/use-form';
import { useForm } from '../../forms/use-form';
import type { FailureHandler } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';

/** The lead, the button, its text meanwhile, and the message of an unknown failure, by the factor that is lost. */
const WORDS = {
  code: [
    'sign_in.reset_lead',
    'sign_in.reset_submit',
    'sign_in.reset_busy',
    'second_factor.failed',
  ],
  passkey: [
    'reauthentication.lost_lead',
    'reauthentication.lost_submit',
    'reauthentication.busy',
    'error.reauthentication_failed',
  ],
} as const;

interface LostFactorProps {
  lost: keyof typeof WORDS;
  /** The token of a sign-in, which proves the password. Without a token, the session must be recent or `password` set. */
  token?: string;
  /** The field for the password, and the request that proves it. */
  password?: {
    Field: ComponentType<FieldProps>;
    prove: (password: string) => Promise<unknown>;
  };
  /** Called with the date on which the factors can be removed. */
  onRequested: (at: string) => void;
  /** Called when the request begins and ends. The caller must keep the form meanwhile. */
  onBusy: (busy: boolean) => void;
  onFailure: FailureHandler;
  /** Buttons below the submit button. */
  children?: Elements;
}

/** Requests the removal of the authenticator app and all passkeys after a waiting time. */
export function LostFactor(props: LostFactorProps) {
  const { lost, token, password: proof, onRequested, onBusy, onFailure, children } = props;
  const { t } = useTranslation();
  const { second_factor_reset_days: count } = useConfig().security;
  const [lead, submit, busy, failed] = WORDS[lost];
  const form = useForm({
    fields: { password: '' },
    check: ({ password }) => (proof && !password ? { password: { code: 'missing_field' } } : {}),
    async send({ password }) {
      await proof?.prove(password);
      return requestFactorReset(token);
    },
    onDone: ({ at }) => onRequested(at),
    onFailure(reason) {
      if (!isRefusal(reason, 'reauthentication_failed')) return onFailure(reason);
      form.showErrors({ password: { code: 'current_password_mismatch' } });
      return true;
    },
  });
  useLayoutEffect(() => {
    onBusy(form.busy);
    // The form is removed when its request has succeeded.
    return () => onBusy(false);
  }, [form.busy, onBusy]);

  return (
    <>
      <p>{t(lead, { count })}</p>
      <Failure
        fallback={t(failed)}
        own={{ reauthentication_required: t('reauthentication.lost_code_again') }}
        reason={form.failure}
      />
      <form {...form.props} className={confirmation.buttons}>
        {proof ? <proof.Field {...form.field('password')} /> : null}
        <Button busy={form.busy && t(busy)} variant="danger">
          {t(submit, { count })}
        </Button>
        {children}
      </form>
    </>
  );
}
