import { del, post } from './client';
import type { components } from './schema';

/** The secret of a new authenticator app, and its QR code. */
export type NewAuthenticator = components['schemas']['TotpSetup'];

/**
 * Creates a secret for an authenticator app, which replaces an unconfirmed secret. If `resume` is set, returns the
 * unconfirmed secret of this session instead, as long as that secret is valid.
 */
export const newAuthenticator = (resume: boolean) => post('/second-factor/totp', { resume });

/** Turns the second factor on. Returns the recovery codes, which the server never returns again. */
export const confirmAuthenticator = async (code: string) =>
  (await post('/second-factor/totp/confirm', { code })).recovery_codes;

/** Creates new recovery codes. The old recovery codes stay valid until `confirmRecoveryCodes` is called. */
export const newRecoveryCodes = async () =>
  (await post('/second-factor/recovery-codes', { pending: true })).recovery_codes;

/** Replaces the account's recovery codes with those that this session created last. */
export const confirmRecoveryCodes = () => post('/second-factor/recovery-codes/confirm', {});

export const turnOffSecondFactor = () => del('/second-factor');
