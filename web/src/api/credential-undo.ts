import { post } from './client';

/** Removes an added credential and all later credentials. Returns the remaining credentials. */
export const undoCredential = async (token: string) =>
  (await post('/undo-credential', { token })).remaining;

/** Returns the change that the mail with the link has reported, or null if it cannot be known. The link stays valid. */
export const fetchReportedChange = async (token: string) =>
  (await post('/undo-credential/details', { token })).change;
