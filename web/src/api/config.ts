import { get } from './client';
import type { components } from './schema';

/** The region of the host, and the limits that the screens need. */
type Served = components['schemas']['ClientConfig'];
export type Config = Served & { region: { migration_form?: 'full' | 'short' } };

export const fetchConfig = (): Promise<Config> => get('/config');
