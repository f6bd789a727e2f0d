import { get, post } from './client';
import type { components } from './schema';

/** A browser that is signed in to the account. */
export type Device = components['schemas']['SignedInDevice'];

/** Where the account is signed in, the device used last first. */
export const fetchDevices = async (): Promise<readonly Device[]> => (await get('/devices')).devices;

/** Signs one device out. It stays known: signing in there again needs no mail. */
export const signOutDevice = (id: string): Promise<undefined> => post('/devices/sign-out', { id });

/** The same for somebody whose right password met the cap of devices: the token proves that. */
export const signOutToFreeSlot = (id: string, token: string): Promise<undefined> =>
  post('/devices/sign-out', { id, token });

/** Signs out everywhere, here too. */
export const signOutEverywhere = (): Promise<undefined> => post('/devices/sign-out-all');
