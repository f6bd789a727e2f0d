import { post } from './client';
import type { PasskeyResponse } from './passkeys';

export const reauthenticationOptions = () => post('/reauthenticate/options', {});

/** If the account has a second factor, `code` is required: a code of the authenticator app, or a recovery code. */
export const reauthenticateWithPassword = (password: string, code?: string) =>
  post('/reauthenticate', { password, ...(code && { code }) });

export const reauthenticateWithPasskey = (response: PasskeyResponse) =>
  post('/reauthenticate', response);
