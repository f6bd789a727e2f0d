import { get } from './client';
import type { components } from './schema';

/** Fetches a summary of the account's security. */
export type Security = components['schemas']['Security'];

export const fetchSecurity = () => get('/security');
