import { post } from './client';

/**
 * Requests the removal of a lost authenticator app and all passkeys, which is possible after a waiting time. Returns the
 * end of the waiting time. The token of a refused sign-in proves the password; if there is no token, the session does.
 */
export const requestFactorReset = (token?: string) =>
  post('/second-factor/reset', token ? { token } : {});

/** Removes the authenticator app and all passkeys. The token comes from the last mail about the reset request. */
export const confirmReset = (token: string) => post('/second-factor/reset/confirm', { token });
