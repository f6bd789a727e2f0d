import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiFailure } from '../api/client';
import { report, sentenceOf } from '../api/message';
import { type Confirmed, confirmEmail } from '../api/verification';

export type Verification =
  | { kind: 'verifying' }
  /** The address is proved; with `device`, a device was approved with it. */
  | { kind: 'verified'; device: boolean }
  /** Another browser opened the link than the one that asked: a person has to decide. */
  | { kind: 'asked'; device: string | null; at: number | null }
  | { kind: 'refused' }
  /** Without a message there was no token at all. */
  | { kind: 'failed'; message: string | null }
  /** The link would have approved a device; another sign-in mails another one. */
  | { kind: 'device_expired' };

/** Spends the token of the link, once. */
export function useVerification(token: string | null) {
  const { t } = useTranslation();
  const [step, setStep] = useState<Verification>(
    token ? { kind: 'verifying' } : { kind: 'failed', message: null },
  );
  const started = useRef(false);

  useEffect(() => {
    if (!token || started.current) return;
    started.current = true;
    confirmEmail(token).then(
      (confirmed) => setStep(stepAfter(confirmed)),
      (failure: unknown) => {
        report(failure);
        if (failure instanceof ApiFailure && failure.refusal?.purpose === 'device_approval') {
          setStep({ kind: 'device_expired' });
          return;
        }
        setStep({ kind: 'failed', message: sentenceOf(failure, t('email_verification.failed')) });
      },
    );
  }, [token, t]);

  return { step, answered: (confirmed: Confirmed) => setStep(stepAfter(confirmed)) };
}

function stepAfter({ code, device, requested_at }: Confirmed): Verification {
  switch (code) {
    case 'device_pending':
      return { kind: 'asked', device: device ?? null, at: requested_at ?? null };
    case 'device_refused':
      return { kind: 'refused' };
    default:
      return { kind: 'verified', device: code === 'device_approved' };
  }
}
