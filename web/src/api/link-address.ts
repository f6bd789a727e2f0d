import { post } from './client';

/** Returns the email address that a reset link or a completion link was mailed to. The link stays valid. */
export const fetchLinkAddress = (token: string) => post('/link-address', { token });
