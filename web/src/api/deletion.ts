import { post } from './client';

/** Requests the deletion of the account, which ends the session. */
export const deleteAccount = () => post('/delete-account', {});

/** Cancels the deletion. The token comes from a mailed link or from a refused sign-in. */
export const restoreAccount = (token: string) => post('/restore-account', { token });
