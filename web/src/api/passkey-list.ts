import { get } from './client';
import type { components } from './schema';

export type Passkey = components['schemas']['Passkey'];
export type Passkeys = components['schemas']['Passkeys'];

/** The passkeys of the account. Apart from the ceremonies, which the settings do not load. */
export const fetchPasskeys = (): Promise<Passkeys> => get('/passkeys');
