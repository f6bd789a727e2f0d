import { get } from './client';
import type { components } from './schema';

export type Passkey = components['schemas']['Passkey'];
export type Passkeys = components['schemas']['Passkeys'];

/** `fetchPasskeys` is in a module of its own, so that the settings load no WebAuthn scripts. */
export const fetchPasskeys = () => get('/passkeys');
