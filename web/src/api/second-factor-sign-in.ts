import { post } from './client';
import type { components } from './schema';

/** The second step of a sign-in. The token is that of `second_factor_required`. */
export const signInWithCode = (
  answer: components['schemas']['SecondFactor'],
): Promise<components['schemas']['CurrentUser']> => post('/login/second-factor', answer);

/** Asks to turn the second factor off by mail, after a wait. Returns its end. The token proves the password. */
export const requestReset = (token: string): Promise<components['schemas']['ResetRequested']> =>
  post('/second-factor/reset', { token });
