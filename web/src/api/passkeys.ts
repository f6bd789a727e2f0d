import type { Ceremony, PasskeyResponse } from '../passkeys/webauthn';
import { del, patch, post } from './client';
import type { Passkey } from './passkey-list';
import type { components } from './schema';

export type PasskeySignal = components['schemas']['PasskeySignal'];

export const newPasskeyOptions = (): Promise<Ceremony> => post('/passkeys/options', {});

export const addPasskey = (response: PasskeyResponse): Promise<Passkey> =>
  post('/passkeys', response);

export const renamePasskey = (id: string, name: string): Promise<Passkey> =>
  patch(`/passkeys/${id}`, { name });

/** Deletes a passkey. Returns the signal for the passkey provider. */
export const removePasskey = (id: string): Promise<{ signal: PasskeySignal }> =>
  del(`/passkeys/${id}`);
