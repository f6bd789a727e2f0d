import { useState } from 'react';
import { isRefusal } from '../../api/client';
import { type Confirmed, confirmEmail } from '../../api/verification';
import { type Redemption, useRedemption } from '../../hooks/use-redemption';

export type Verification =
  | { kind: 'verifying' }
  /** The email address is verified. `device`: whether the link has also approved a device. */
  | { kind: 'verified'; device: boolean }
  /** The user must decide, because the link was opened in another browser than the one that wants to sign in. */
  | { kind: 'needs_decision'; device: string | null; at: number | null }
  /** The link has approved a device other than this one, now or earlier. */
  | { kind: 'approved_elsewhere'; device: string }
  | { kind: 'refused' }
  /** `failure`: null if the link has no token. */
  | { kind: 'failed'; failure: unknown }
  /** The link for the approval of a device has expired. The next sign-in sends a new link. */
  | { kind: 'device_expired' };

/** Redeems the token of the mailed link once. */
export function useVerification() {
  const { state, token, reloading, reload, keep } = useRedemption('token', confirmEmail, isFinal);
  // The response to the decision of the user about the device, or null before the decision.
  const [decision, setDecision] = useState<Confirmed | null>(null);
  const [isSpent, setIsSpent] = useState(false);

  function onDecision(confirmed: Confirmed) {
    keep(confirmed);
    setDecision(confirmed);
  }
  const current = decision ? stepAfter(decision) : stepOf(state);
  const step: Verification = isSpent ? { kind: 'device_expired' } : current;
  return {
    step,
    token,
    /** Whether the user has decided about the device, or can no longer decide, because the link has expired. */
    decided: decision !== null || step.kind === 'device_expired',
    reloading,
    reload,
    onDecision,
    onSpent: () => setIsSpent(true),
  };
}

/** Returns whether the token is redeemed. A decision about a device still needs the token. */
const isFinal = ({ code }: Confirmed) => code !== 'device_pending';

function stepOf(state: Redemption<Confirmed>): Verification {
  switch (state.kind) {
    case 'no_token':
      return { kind: 'failed', failure: null };
    case 'loading':
      return { kind: 'verifying' };
    case 'loaded':
      return stepAfter(state.data);
    case 'failed':
      return isDeviceLink(state.failure) ? { kind: 'device_expired' } : state;
  }
}

function isDeviceLink(failure: unknown): boolean {
  return isRefusal(failure, 'invalid_token') && failure.refusal.purpose === 'device_approval';
}

function stepAfter({ code, device, requested_at }: Confirmed): Verification {
  switch (code) {
    case 'device_pending':
      return {
        kind: 'needs_decision',
        device: device ?? null,
        at: requested_at ? Date.parse(requested_at) : null,
      };
    case 'device_refused':
      return { kind: 'refused' };
    default:
      if (device) return { kind: 'approved_elsewhere', device };
      return { kind: 'verified', device: code === 'device_approved' };
  }
}
