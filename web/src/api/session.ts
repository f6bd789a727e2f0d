import { setSessionPossible } from '../session-hint';
import { ApiFailure, get, post } from './client';
import type { components } from './schema';

export type User = components['schemas']['Me'];

/** Who is signed in here. Fails with 401 when nobody is. */
export async function currentUser(): Promise<User> {
  try {
    return await get('/users/me');
  } catch (failure) {
    if (failure instanceof ApiFailure && failure.status === 401) setSessionPossible(false);
    throw failure;
  }
}

export const signIn = (email: string, password: string, app: string): Promise<User> =>
  post('/login', { email, password, app });

export const signOut = (): Promise<undefined> => post('/logout');
