import { post } from './client';
import type { PasskeyResponse } from './passkeys';

export const passkeySignInOptions = () => post('/passkeys/sign-in/options', {});

export const signInWithPasskey = (response: PasskeyResponse) => post('/passkeys/sign-in', response);
