import type { PasskeyResponse } from '../passkeys/webauthn';
import { post } from './client';

export const passkeySignInOptions = () => post('/passkeys/sign-in/options', {});

export const signInWithPasskey = (response: PasskeyResponse) => post('/passkeys/sign-in', response);
