import { post } from './client';
import type { components } from './schema';

/** The fields of the completion form. The short variant omits the names and the day of birth. */
export type Completion = Omit<components['schemas']['Completion'], 'token'>;

/** Requests the link that migrates a legacy account. The response is the same for every email address. */
export const requestMigration = (email: string) => post('/migration', { email });

/** Migrates a legacy account that lacks only a password. Returns the new account. */
export const confirmMigration = (token: string, password: string) =>
  post('/migration/confirm', { token, password });

/** Migrates a legacy account and adds its missing data. */
export const completeMigration = (token: string, completion: Completion) =>
  post('/migration/complete', { token, ...completion });

/** Stops the mails that invite the owner of a legacy account to migrate. */
export const stopInvitations = (token: string) => post('/unsubscribe', { token });
