import { useCallback } from 'react';
import { fetchLinkAddress } from '../api/link-address';
import { useEmail } from '../components/hidden-username';

/** Returns the email address that a link was mailed to, or an empty string until the server accepts the link. */
export const useLinkEmail = (token: string): string =>
  useEmail(useCallback(() => fetchLinkAddress(token), [token]));
