import { get, post } from './client';
import type { components } from './schema';

export type Confirmed = components['schemas']['Confirmed'];

/** Redeems a mailed link, which verifies an email address or approves a device, or first asks about the device. */
export const confirmEmail = (token: string) => get('/confirm-email', { token });

/** Sends the user's decision about a new device. */
export const confirmDevice = (token: string, approve: boolean) =>
  post('/confirm-device', { token, approve });
