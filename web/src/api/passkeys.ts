import { del, patch, post } from './client';
import type { components } from './schema';

/** The credential of the browser and the state of its ceremony, as the server accepts them. */
export type PasskeyResponse = components['schemas']['PasskeyAnswer'];

export type PasskeySignal = components['schemas']['PasskeySignal'];

export const newPasskeyOptions = () => post('/passkeys/options', {});

export const addPasskey = (response: PasskeyResponse) => post('/passkeys', response);

export const renamePasskey = (id: string, name: string) =>
  patch('/passkeys/{id}', { name }, { id });

/** Deletes a passkey. Returns the list of remaining passkeys, which the browser reports to the passkey provider. */
export const removePasskey = (id: string) => del('/passkeys/{id}', { id });
