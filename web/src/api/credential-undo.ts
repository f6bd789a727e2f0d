import { post } from './client';

/** Removes an added credential and all later credentials. Returns the remaining credentials. */
export const undoCredential = async (token: string) =>
  (await post('/undo-credential', { token })).remaining;
