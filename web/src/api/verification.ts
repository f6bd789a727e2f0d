import { get, post } from './client';
import type { components } from './schema';

export type Confirmed = components['schemas']['Confirmed'];

/** Spends a mailed link: an address is verified, a device approved, or we are asked about a device. */
export const confirmEmail = (token: string): Promise<Confirmed> => get('/confirm-email', { token });

/** The answer to that question. */
export const confirmDevice = (token: string, approve: boolean): Promise<Confirmed> =>
  post('/confirm-device', { token, approve });
