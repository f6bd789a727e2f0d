import { post } from './client';
import type { User } from './session';

/** The short form omits the names and the day of birth. */
export interface Completion {
  first_name?: string;
  last_name?: string;
  /** The code of the country: two lower-case letters. */
  country: string;
  birthday_day?: number;
  birthday_month: number;
  birthday_year: number;
  zipcode: string;
  password: string;
  confirm_password: string;
  marketing_consent: boolean;
}

/** Requests the link that migrates an old account. The response is the same for every address. */
export const requestMigration = (email: string) => post('/migration', { email });

/** Migrates an account with complete data. Returns its new username. */
export const confirmMigration = (token: string, password: string): Promise<User> =>
  post('/migration/confirm', { token, password });

/** Migrates an account and adds its missing data. */
export const completeMigration = (token: string, completion: Completion): Promise<User> =>
  post('/migration/complete', { token, ...completion });

/** Stops the invitations to migrate. */
export const stopInvitations = (token: string) => post('/unsubscribe', { token });
