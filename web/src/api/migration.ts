import { post } from './client';
import type { components } from './schema';

/** The fields of the completion form. The short variant omits the names and the day of birth. */
export type Completion = Omit<components['schemas']['Completion'], 'token'>;

/** Requests the link that migrates an old account. The response is the same for every email address. */
export const requestMigration = (email: string) => post('/migration', { email });

/** Migrates an account that lacks nothing but a password. Returns its new username. */
export const confirmMigration = (token: string, password: string) =>
  post('/migration/confirm', { token, password });

/** Migrates an account and adds its missing data. */
export const completeMigration = (token: string, completion: Completion) =>
  post('/migration/complete', { token, ...completion });

/** Stops the invitations to migrate. */
export const stopInvitations = (token: string) => post('/unsubscribe', { token });
