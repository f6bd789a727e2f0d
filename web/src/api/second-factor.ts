import { del, post } from './client';
import type { components } from './schema';

/** The secret of a new authenticator app, and its QR code. */
export type NewAuthenticator = components['schemas']['TotpSetup'];

/** Creates a secret for an authenticator app, which replaces an earlier secret that was never confirmed. */
export const newAuthenticator = () => post('/second-factor/totp', {});

/** Turns the second factor on. Returns the recovery codes, which are never shown again. */
export const confirmAuthenticator = async (code: string) =>
  (await post('/second-factor/totp/confirm', { code })).recovery_codes;

/** Replaces the recovery codes. */
export const newRecoveryCodes = async () =>
  (await post('/second-factor/recovery-codes', {})).recovery_codes;

export const turnOffSecondFactor = () => del('/second-factor');
