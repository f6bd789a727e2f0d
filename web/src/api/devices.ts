import { get, post } from './client';
import type { components } from './schema';

/** A browser with a session of the account. */
export type Device = components['schemas']['SignedInDevice'];

/** The signed-in devices, most recently used first. */
export const fetchDevices = async () => (await get('/devices')).devices;

/** Signs one device out and forgets it: its next sign-in needs an approval by mail. */
export const signOutDevice = (id: string) => post('/devices/sign-out', { id });

/** Signs one device out without a session. The token of `too_many_devices` proves the correct password. */
export const signOutToFreeSlot = (id: string, token: string) =>
  post('/devices/sign-out', { id, token });

/** Ends all sessions of the account, including this one. */
export const signOutEverywhere = () => post('/devices/sign-out-all');
