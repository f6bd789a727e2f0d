import { post } from './client';

/**
 * Requests the removal of the authenticator app and all passkeys. Returns the date of the removal. During a sign-in,
 * the token of the error `second_factor_required` proves the password; otherwise a session is required.
 */
export const requestFactorReset = (token?: string) =>
  post('/second-factor/reset', token ? { token } : {});

/** Removes the authenticator app and all passkeys. The token comes from the mail at the end of the waiting time. */
export const confirmReset = (token: string) => post('/second-factor/reset/confirm', { token });
