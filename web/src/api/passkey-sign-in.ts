import { postSignIn } from './client';
import type { PasskeyResponse } from './passkeys';

export const passkeySignInOptions = () => postSignIn('/passkeys/sign-in/options', {});

export const signInWithPasskey = (response: PasskeyResponse) =>
  postSignIn('/passkeys/sign-in', response);
