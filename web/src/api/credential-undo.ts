import { post } from './client';
import type { components } from './schema';

export type RemainingCredentials = components['schemas']['RemainingCredentials'];

/** Removes an added credential and all later credentials. Returns the remaining credentials. */
export const undoCredential = async (token: string) =>
  (await post('/undo-credential', { token })).remaining;

/** Returns what a link undoes: a change of the account, or the deletion. The link stays valid. */
export const fetchUndoDetails = (token: string) => post('/undo-credential/details', { token });
