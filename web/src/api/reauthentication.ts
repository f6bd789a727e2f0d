import type { PasskeyResponse } from '../features/passkeys/webauthn';
import { post } from './client';

export const reauthenticationOptions = () => post('/reauthenticate/options', {});

/** `code` is a code of the authenticator app or a recovery code. It is required if the account has a second factor. */
export const reauthenticateWithPassword = (password: string, code?: string) =>
  post('/reauthenticate', { password, ...(code && { code }) });

export const reauthenticateWithPasskey = (response: PasskeyResponse) =>
  post('/reauthenticate', response);
