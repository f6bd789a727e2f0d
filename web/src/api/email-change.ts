import { del, get, post } from './client';
import type { components } from './schema';

export type EmailNow = components['schemas']['EmailNow'];
export type UndoneEmailChange = components['schemas']['UndoneEmailChange'];

/** Mails a link to the new email address. The account keeps the old email address until the link is opened. */
export const changeEmail = (email: string) => post('/change-email', { email });

/** Cancels the pending change of the email address and invalidates the mailed link. */
export const cancelEmailChange = () => del('/change-email');

/** Redeems the link that confirms a new email address. Returns the new email address. */
export const confirmEmailChange = (token: string) => get('/confirm-email-change', { token });

/** Restores the previous email address and ends all sessions. */
export const undoEmailChange = (token: string) => post('/undo-email-change', { token });
