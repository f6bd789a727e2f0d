import { get } from './client';
import type { components } from './schema';

/** Fetches the region of the host, and the limits that the screens need. */
export type Config = components['schemas']['ClientConfig'];

export const fetchConfig = () => get('/config');
