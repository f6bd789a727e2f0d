import type { Ceremony, PasskeyResponse } from '../passkeys/webauthn';
import { post } from './client';
import type { components } from './schema';

export const passkeySignInOptions = (): Promise<Ceremony> => post('/passkeys/sign-in/options', {});

export const signInWithPasskey = (
  response: PasskeyResponse,
): Promise<components['schemas']['CurrentUser']> => post('/passkeys/sign-in', response);
