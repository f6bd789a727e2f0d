import { useCallback } from 'react';
import { fetchLinkAddress } from '../api/link-address';
import { useEmail } from '../components/hidden-username';

/** The email address that the link with this secret was mailed to; empty until the server accepts the secret. */
export const useLinkEmail = (token: string): string =>
  useEmail(useCallback(() => fetchLinkAddress(token), [token]));
