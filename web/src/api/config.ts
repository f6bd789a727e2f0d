import { get } from './client';
import type { components } from './schema';

/** The configuration that the server sends to the screens: the brand, language and links of the site, and limits. */
export type Config = components['schemas']['ClientConfig'];

export const fetchConfig = () => get('/config');
