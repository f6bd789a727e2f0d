import { get } from './client';
import type { components } from './schema';

export type Security = components['schemas']['Security'];

/** Fetches a summary of the account's security. */
export const fetchSecurity = () => get('/security');
