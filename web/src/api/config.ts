import { get } from './client';
import type { components } from './schema';

export type Config = components['schemas']['ClientConfig'];

/** Fetches the region of the host, and the limits that the screens need. */
export const fetchConfig = () => get('/config');
