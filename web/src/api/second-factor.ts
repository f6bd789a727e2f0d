import { del, post } from './client';
import type { components } from './schema';

/** The secret of a new authenticator app, and its QR code. */
export type NewAuthenticator = components['schemas']['TotpSetup'];

/**
 * Creates a secret for an authenticator app, which replaces an earlier secret that was never confirmed. If `resume` is
 * set, an earlier secret of this session is returned again while it is valid.
 */
export const newAuthenticator = (resume: boolean) => post('/second-factor/totp', { resume });

/** Turns the second factor on. Returns the recovery codes, which are never shown again. */
export const confirmAuthenticator = async (code: string) =>
  (await post('/second-factor/totp/confirm', { code })).recovery_codes;

/** Creates recovery codes, which replace the old recovery codes when the user confirms them. */
export const newRecoveryCodes = async () =>
  (await post('/second-factor/recovery-codes', { pending: true })).recovery_codes;

/** Replaces the recovery codes of the account by the codes that this session created last. */
export const confirmRecoveryCodes = () => post('/second-factor/recovery-codes/confirm', {});

export const turnOffSecondFactor = () => del('/second-factor');
