import { get } from './client';
import type { components } from './schema';

export type Security = components['schemas']['Security'];

export const fetchSecurity = () => get('/security');
