import { post } from './client';
import type { components } from './schema';

export type KnownDetails = components['schemas']['KnownDetails'];

/**
 * Returns the email address that a reset link or a completion link (migration of a legacy account) was mailed to, and
 * for a completion link the known personal data. The link stays valid.
 */
export const fetchLinkAddress = (token: string) => post('/link-address', { token });
