import { post } from './client';

/** Returns the email address that the link of a reset or of a completion was mailed to. The link stays valid. */
export const fetchLinkAddress = (token: string) => post('/link-address', { token });
