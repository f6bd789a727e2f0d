import { post } from './client';
import type { User } from './session';

/** Without names and day it is the short form, whose rules are the shorter ones. */
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

/** Asks for the link that moves an old account. The answer is the same whatever the address. */
export const requestMigration = (email: string) => post('/migration', { email });

/** Moves an account whose details are all known. Answers with the name it has from now on. */
export const confirmMigration = (token: string, password: string): Promise<User> =>
  post('/migration/confirm', { token, password });

/** Moves an account with the details that it lacked. */
export const completeMigration = (token: string, completion: Completion): Promise<User> =>
  post('/migration/complete', { token, ...completion });

/** Ends the invitations to move. */
export const stopInvitations = (token: string) => post('/unsubscribe', { token });
