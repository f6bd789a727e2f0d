import { get, post } from './client';
import type { components } from './schema';

/** A browser that is signed in to the account. */
export type Device = components['schemas']['SignedInDevice'];

/** Fetches the signed-in devices, most recently used first. */
export const fetchDevices = async () => (await get('/devices')).devices;

/** Signs one device out and forgets the device, so that the next sign-in there needs an approval by mail. */
export const signOutDevice = (id: string) => post('/devices/sign-out', { id });

/** Signs one device out without a session. The token of `too_many_devices` proves that the password was correct. */
export const signOutToFreeSlot = (id: string, token: string) =>
  post('/devices/sign-out', { id, token });

/** Ends all sessions of the account, including the session of this browser. */
export const signOutEverywhere = () => post('/devices/sign-out-all');
