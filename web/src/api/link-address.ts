import { post } from './client';
import type { components } from './schema';

/** Returns the address that the link of a reset or of a completion was mailed to. The link stays valid. */
export const fetchLinkAddress = (token: string): Promise<components['schemas']['LinkAddress']> =>
  post('/link-address', { token });
