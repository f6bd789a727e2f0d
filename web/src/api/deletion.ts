import { post } from './client';

/** Requests the deletion of the account. The session ends. */
export const deleteAccount = () => post('/delete-account', {});

/** Cancels the deletion, with the token of a mailed link or of a refused sign-in. */
export const restoreAccount = (token: string) => post('/restore-account', { token });
