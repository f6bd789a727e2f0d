import { get, post } from './client';
import type { components } from './schema';

export type User = components['schemas']['Me'];
export type CurrentUser = components['schemas']['CurrentUser'];

/** The user of the session. Fails with 401 without a session. */
export const currentUser = (): Promise<CurrentUser> => get('/users/me');

export const signIn = (email: string, password: string, app: string): Promise<User> =>
  post('/login', { email, password, app });

export const signOut = (): Promise<undefined> => post('/logout');
