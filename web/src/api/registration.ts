import { post } from './client';
import type { User } from './session';

export interface Registration {
  email: string;
  username: string;
  password: string;
  /** The code of the country: two lower-case letters. */
  country: string;
  zipcode: string;
  birthday_day: number;
  birthday_month: number;
  birthday_year: number;
  marketing_consent: boolean;
}

/** Creates an account; the server mails a link that proves the address. */
export const register = (registration: Registration): Promise<User> =>
  post('/register', registration);

/** Asks for that link once more. The answer is the same whatever the address. */
export const resendVerification = (email: string) => post('/resend-verification', { email });
