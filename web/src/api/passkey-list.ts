import { get } from './client';
import type { components } from './schema';

export type Passkey = components['schemas']['Passkey'];
export type Passkeys = components['schemas']['Passkeys'];

/** The passkeys of the account. In a module of its own, because the settings do not load the ceremonies. */
export const fetchPasskeys = () => get('/passkeys');
