import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiFailure } from '../api/client';
import { errorMessageOf } from '../api/message';
import { type Confirmed, confirmEmail } from '../api/verification';
import { dropLinkToken } from '../use-link-token';
import { type Redemption, useRedemption } from '../use-redemption';

export type Verification =
  | { kind: 'verifying' }
  /** The address is proved; with `device`, a device was approved with it. */
  | { kind: 'verified'; device: boolean }
  /** Another browser opened the link than the one that asked: a person has to decide. */
  | { kind: 'asked'; device: string | null; at: number | null }
  | { kind: 'refused' }
  /** Without a message there was no token at all. `passing` may go well the next time. */
  | { kind: 'failed'; message: string | null; passing: boolean }
  /** The link would have approved a device; another sign-in mails another one. */
  | { kind: 'device_expired' };

/** Spends the token of the link, once. */
export function useVerification(token: string | null) {
  const { t } = useTranslation();
  const { state, retry } = useRedemption(token, confirmEmail, forgetSpent);
  // What the person decided about a device, after the link asked.
  const [decided, setDecided] = useState<Confirmed | null>(null);

  function answered(confirmed: Confirmed) {
    forgetSpent(confirmed);
    setDecided(confirmed);
  }
  const step = decided ? stepAfter(decided) : stepOf(state, t('email_verification.failed'));
  return { step, retry, answered };
}

/** A link that asked about a device is still needed for the answer. */
function forgetSpent({ code }: Confirmed): void {
  if (code !== 'device_pending') dropLinkToken('token');
}

function stepOf(state: Redemption<Confirmed>, fallback: string): Verification {
  switch (state.kind) {
    case 'no_token':
      return { kind: 'failed', message: null, passing: false };
    case 'asking':
      return { kind: 'verifying' };
    case 'redeemed':
      return stepAfter(state.answer);
    case 'failed':
      if (isDeviceLink(state.failure)) return { kind: 'device_expired' };
      return {
        kind: 'failed',
        message: errorMessageOf(state.failure, fallback),
        passing: state.passing,
      };
  }
}

function isDeviceLink(failure: unknown): boolean {
  return failure instanceof ApiFailure && failure.refusal?.purpose === 'device_approval';
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
