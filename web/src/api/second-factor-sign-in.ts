import { postSignIn } from './client';
import type { components } from './schema';

/** Sends the second-factor code of a sign-in. The token comes from the error `second_factor_required`. */
export const signInWithCode = (answer: components['schemas']['SecondFactor']) =>
  postSignIn('/login/second-factor', answer);
