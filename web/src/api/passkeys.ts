import type { Answer, Ceremony } from '../passkeys/webauthn';
import { del, patch, post } from './client';
import type { Passkey } from './passkey-list';
import type { components } from './schema';

export type Signal = components['schemas']['PasskeySignal'];

export const passkeySignInOptions = (): Promise<Ceremony> => post('/passkeys/sign-in/options', {});

export const signInWithPasskey = (answer: Answer): Promise<components['schemas']['CurrentUser']> =>
  post('/passkeys/sign-in', answer);

export const newPasskeyOptions = (): Promise<Ceremony> => post('/passkeys/options', {});

export const addPasskey = (answer: Answer): Promise<Passkey> => post('/passkeys', answer);

export const renamePasskey = (id: string, name: string): Promise<Passkey> =>
  patch(`/passkeys/${id}`, { name });

/** Deletes a passkey. Returns the signal for the passkey provider. */
export const removePasskey = (id: string): Promise<{ signal: Signal }> => del(`/passkeys/${id}`);
