import type { Birthday } from '../validation/birthday';
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

/**
 * Lets the server refuse, and count, a birthday that the screen has refused: the birthday alone, so that
 * nothing else of a minor leaves the browser.
 */
export const tellUnderage = ({ day, month, year }: Birthday) =>
  post('/register', { birthday_day: day, birthday_month: month, birthday_year: year });

/** Asks for that link once more. The answer is the same whatever the address. */
export const resendVerification = (email: string) => post('/resend-verification', { email });
