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
  /** The address of an unverified registration from the same browser, which this one replaces. */
  corrected_email?: string;
}

/** Creates an account. The server mails a link that verifies the address. */
export const register = (registration: Registration): Promise<User> =>
  post('/register', registration);

/** Requests that link again. The response is the same for every address. */
export const resendVerification = (email: string) => post('/resend-verification', { email });
