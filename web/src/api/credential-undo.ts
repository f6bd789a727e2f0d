import { post } from './client';

/** Removes an added credential and all credentials that were added after it. */
export const undoCredential = (token: string): Promise<{ message: string }> =>
  post('/undo-credential', { token });
