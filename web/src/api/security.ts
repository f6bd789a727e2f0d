import { get } from './client';
import type { components } from './schema';

/** The security of the account at a glance. */
export type Security = components['schemas']['Security'];

export const fetchSecurity = (): Promise<Security> => get('/security');
