import { post } from './client';

/**
 * Requests the removal of a lost authenticator app and all passkeys, which is possible after a waiting time. Returns the
 * end of that time. The token of a refused sign-in proves the password; without one the session does.
 */
export const requestFactorReset = (token?: string) =>
  post('/second-factor/reset', token ? { token } : {});

/** Removes the authenticator app and all passkeys. The token comes from the last mail of the request. */
export const confirmReset = (token: string) => post('/second-factor/reset/confirm', { token });
