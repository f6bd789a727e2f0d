import { post } from './client';

export interface PasswordChange {
  current_password: string;
  new_password: string;
  confirm_password: string;
  /** Other devices are signed out in both cases. A forgotten device also needs a mailed link at its next sign-in. */
  forget_other_devices: boolean;
}

/** Changes the password. Ends all other sessions. */
export const changePassword = (change: PasswordChange) => post('/change-password', change);
