import { post } from './client';
import type { components } from './schema';

/**
 * Changes the password and ends all sessions except this one. If `forget_other_devices` is set, the next sign-in on
 * every other device needs an approval by mail.
 */
export const changePassword = (change: components['schemas']['PasswordForm']) =>
  post('/change-password', change);
