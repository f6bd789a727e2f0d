import { get, post } from './client';
import type { components } from './schema';

/** A browser that is signed in to the account. */
export type Device = components['schemas']['SignedInDevice'];

/** Fetches the signed-in devices, most recently used first. */
export const fetchDevices = async () => (await get('/devices')).devices;

/** Signs a device out and removes it from the known devices, so that its next sign-in needs an approval by mail. */
export const signOutDevice = (id: string) => post('/devices/sign-out', { id });

/** Signs a device out without a session. `token`, from the error `too_many_devices`, proves the password. */
export const signOutToFreeSlot = (id: string, token: string) =>
  post('/devices/sign-out', { id, token });

/** Ends all sessions of the account, including the session of this browser. */
export const signOutEverywhere = () => post('/devices/sign-out-all');
