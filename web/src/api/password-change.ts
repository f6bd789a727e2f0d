import { post } from './client';

export interface PasswordChange {
  current_password: string;
  new_password: string;
  confirm_password: string;
  /** Other devices are signed out either way; forgotten ones need the mailed link again. */
  forget_other_devices: boolean;
}

/** Changes the password of the session. All other sessions end. */
export const changePassword = (change: PasswordChange) => post('/change-password', change);
