import { post } from './client';
import type { components } from './schema';

/** The second step of a sign-in. The token is that of `second_factor_required`. */
export const signInWithCode = (answer: components['schemas']['SecondFactor']) =>
  post('/login/second-factor', answer);
