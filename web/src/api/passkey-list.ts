import { get } from './client';
import type { components } from './schema';

export type Passkey = components['schemas']['Passkey'];
export type Passkeys = components['schemas']['Passkeys'];

/** Fetches the passkeys of the account. The module is separate, so that the settings load no WebAuthn scripts. */
export const fetchPasskeys = () => get('/passkeys');
