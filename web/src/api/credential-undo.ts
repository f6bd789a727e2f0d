import { post } from './client';
import type { components } from './schema';

/** The ways to sign in that the undo leaves in place. */
export type RemainingCredentials = components['schemas']['RemainingCredentials'];

/** Removes an added credential and all credentials that were added after it. Returns those that stay. */
export const undoCredential = async (token: string): Promise<RemainingCredentials> =>
  (await post('/undo-credential', { token })).remaining;
