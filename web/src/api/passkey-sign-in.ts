import type { PasskeyResponse } from '../features/passkeys/webauthn';
import { post } from './client';

export const passkeySignInOptions = () => post('/passkeys/sign-in/options', {});

export const signInWithPasskey = (response: PasskeyResponse) => post('/passkeys/sign-in', response);
