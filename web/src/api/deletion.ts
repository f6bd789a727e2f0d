import { post } from './client';

/** Requests the deletion of the account after the grace period, and ends the session. */
export const deleteAccount = () => post('/delete-account', {});

/** Cancels a pending deletion. The token comes from a mailed link, or from a sign-in that the deletion stopped. */
export const restoreAccount = (token: string) => post('/restore-account', { token });
