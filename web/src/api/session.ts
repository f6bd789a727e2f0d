import { get, post, postSignIn } from './client';
import type { components } from './schema';

export type User = components['schemas']['Me'];
export type CurrentUser = components['schemas']['CurrentUser'];

/** Fetches the user of the session. Throws an `ApiFailure` with status 401 if there is no session. */
export const currentUser = () => get('/users/me');

export const signIn = (email: string, password: string, app: string) =>
  postSignIn('/login', { email, password, app });

export const signOut = () => post('/logout');
