import { post } from './client';
import type { components } from './schema';

export type Registration = components['schemas']['Registration'];

/** Creates an account. The server mails a link that verifies the email address. */
export const register = (registration: Registration) => post('/register', registration);

/** Requests the verification link again. The response is the same for every email address. */
export const resendVerification = (email: string) => post('/resend-verification', { email });
