import { post } from './client';
import type { components } from './schema';

/** The second step of a sign-in. The token is that of `second_factor_required`. */
export const signInWithCode = (
  answer: components['schemas']['SecondFactor'],
): Promise<components['schemas']['CurrentUser']> => post('/login/second-factor', answer);

/**
 * Requests the reset of a lost second factor, which takes effect after a waiting time. Returns the end of that time.
 * The token proves the password.
 */
export const requestSecondFactorReset = (
  token: string,
): Promise<components['schemas']['ResetRequested']> => post('/second-factor/reset', { token });
