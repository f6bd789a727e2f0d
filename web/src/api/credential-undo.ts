import { post } from './client';
import type { components } from './schema';

export type UndoneCredential = components['schemas']['UndoneCredential'];
export type UndoDetails = components['schemas']['UndoDetails'];

/** Removes a mistrusted credential and all credentials added later. Returns the older credentials, which remain. */
export const undoCredential = (token: string) => post('/undo-credential', { token });

/** Returns what the mailed link would undo: a change of the account, or its deletion. The link stays valid. */
export const fetchUndoDetails = (token: string) => post('/undo-credential/details', { token });
