import type { Ceremony, PasskeyResponse } from '../passkeys/webauthn';
import { post } from './client';

export const reauthenticationOptions = (): Promise<Ceremony> => post('/reauthenticate/options', {});

/** `code` is required with a second factor: a code of the authenticator app, or a recovery code. */
export const reauthenticateWithPassword = (password: string, code?: string): Promise<undefined> =>
  post('/reauthenticate', { password, ...(code && { code }) });

export const reauthenticateWithPasskey = (response: PasskeyResponse): Promise<undefined> =>
  post('/reauthenticate', response);
