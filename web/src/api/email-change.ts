import { get, post } from './client';
import type { components } from './schema';

export type EmailNow = components['schemas']['EmailNow'];

/** Mails a link to the new address; nothing changes before it is opened. */
export const changeEmail = (email: string) => post('/change-email', { email });

/** Spends that link. The answer holds the address that the account has now. */
export const confirmEmailChange = (token: string): Promise<EmailNow> =>
  get('/confirm-email-change', { token });

/** Takes the account back to the address it had before. All sessions end. */
export const undoEmailChange = (token: string): Promise<EmailNow> =>
  post('/undo-email-change', { token });
