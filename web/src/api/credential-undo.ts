import { post } from './client';

/** Removes an added credential and all credentials that were added after it. Returns those that stay. */
export const undoCredential = async (token: string) =>
  (await post('/undo-credential', { token })).remaining;
