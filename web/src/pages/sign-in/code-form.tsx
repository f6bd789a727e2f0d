import { useLayoutEffect, useState } from 'react';
import { isRefusal } from '../../api/client';
import { waitingSecondsOf } from '../../api/message';
import { signInWithCode } from '../../api/second-factor-sign-in';
import { Button } from '../../components/button';
import { Checkbox } from '../../components/checkbox';
import type { Elements } from '../../components/elements';
import { Failure } from '../../components/failure';
import { Status } from '../../components/notice';
import { useConfig } from '../../config';
import { CodeField, RecoveryCodeField } from '../../features/second-factor/code-field';
import { firstError } from '../../forms/field-errors';
import { replaceText } from '../../forms/typed-text';
import { useForm } from '../../forms/use-form';
import { useTranslation } from '../../i18n/use-translation';
import { checkCode, normalizeCode, refusedCodeError } from '../../validation/code';
import type { CodeKind, CodeScreenProps } from './code-screen';
import { DeviceChoice } from './device-choice';
import { PopcornBreak } from './popcorn-break';
import styles from './sign-in.module.css';
import { StepLink } from './step-link';

interface CodeFormProps extends CodeScreenProps {
  /** The token of the error `second_factor_required`, which proves that the password was correct. */
  token: string;
  /** Called with a new token, after the password was sent again. */
  onToken: (token: string) => void;
  kind: CodeKind;
  onKind: (kind: CodeKind) => void;
  /** The id of the description of the code field. */
  describedBy: string;
  /** Called if the user asks for another way, because they have no code. */
  onNoCode: () => void;
}

/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
export function CodeForm(props: CodeFormProps) {
  const { step, kind, onKind, onBack, onNoCode, describedBy } = props;
  const { t } = useTranslation();
  const { second_factor_trust_days: trustDays } = useConfig().security;
  const { form, freedDevice, repeatSignIn } = useCode(props);
  const Field = kind === 'code' ? CodeField : RecoveryCodeField;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the field changes with its kind
  useLayoutEffect(() => form.ref.current?.querySelector('input')?.focus(), [kind]);

  return (
    <form {...form.props}>
      {failureOf(form.failure)}
      {freedDevice ? (
        <Status>{t('sign_in.code_device_gone', { device: freedDevice })}</Status>
      ) : null}
      <Field {...form.field(kind)} describedBy={describedBy} key={kind} />
      {trustDays ? (
        <Checkbox label={t('sign_in.trust', { count: trustDays })} name="trust_device" />
      ) : null}
      <Button busy={form.busy && t('reauthentication.busy')}>{t('reauthentication.submit')}</Button>
      {step.refusal.methods.includes('recovery_code') ? (
        <Button
          disabled={form.busy}
          variant="secondary"
          onClick={() => onKind(kind === 'code' ? 'recovery_code' : 'code')}
        >
          {t(kind === 'code' ? 'sign_in.use_recovery_code' : 'sign_in.use_app')}
        </Button>
      ) : null}
      <div className={styles.links}>
        <StepLink disabled={form.busy} onClick={() => onBack(null)}>
          {t('email_verification.back')}
        </StepLink>
        <StepLink disabled={form.busy} onClick={onNoCode}>
          {t('sign_in.lost_codes')}
        </StepLink>
      </div>
    </form>
  );

  function failureOf(reason: unknown): Elements {
    const seconds = waitingSecondsOf(reason);
    if (seconds !== null) return <PopcornBreak seconds={seconds} />;
    if (!isRefusal(reason, 'too_many_devices')) {
      return <Failure fallback={t('error.reauthentication_failed')} reason={reason} />;
    }
    return (
      <DeviceChoice
        failure={reason}
        onExpired={() => onBack('sign_in.devices_expired')}
        onSlotFreed={repeatSignIn}
      />
    );
  }
}

function useCode({ step, token, onToken, kind, onSuccess, onBack }: CodeFormProps) {
  /** The name of the device that the user has signed out, because too many devices were signed in. */
  const [freedDevice, setFreedDevice] = useState<string | null>(null);
  const form = useForm({
    fields: { code: '', recovery_code: '' },
    onSubmit() {
      setFreedDevice(null);
    },
    check: (typed) => firstError({ [kind]: checkCode(typed[kind]) }),
    send: (typed, page) =>
      signInWithCode({
        token,
        code: normalizeCode(typed[kind]),
        trust_device: page.has('trust_device'),
      }),
    onDone: onSuccess,
    onFailure,
  });

  function onFailure(reason: unknown): boolean {
    const error = refusedCodeError(reason, form.read()[kind]);
    if (error) {
      form.showErrors({ [kind]: error });
      return true;
    }
    if (isRefusal(reason, 'invalid_token')) {
      onBack('error.sign_in_expired');
      return true;
    }
    if (isRefusal(reason, 'second_factor_required')) {
      onToken(reason.refusal.second_factor_token);
      return true;
    }
    return false;
  }

  /** Signs in again for a new token and asks for a new code, because code and token are valid only once. */
  function repeatSignIn(device: string) {
    setFreedDevice(device);
    const field = form.ref.current?.querySelector('input');
    replaceText(field, '');
    field?.focus();
    form.send(step.repeat, onSuccess);
  }

  return { form, freedDevice, repeatSignIn };
}
