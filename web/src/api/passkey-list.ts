import { get } from './client';
import type { components } from './schema';

export type Passkey = components['schemas']['Passkey'];
export type Passkeys = components['schemas']['Passkeys'];

export const fetchPasskeys = () => get('/passkeys');
