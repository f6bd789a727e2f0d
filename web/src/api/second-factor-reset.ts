import { post } from './client';

/** Turns the second factor off. The token comes from the last mail of the request. */
export const confirmReset = (token: string): Promise<{ message: string }> =>
  post('/second-factor/reset/confirm', { token });
