import { post } from './client';
import type { components } from './schema';

/**
 * Changes the password. Ends all other sessions. With `forget_other_devices`, their next sign-in needs a mailed link.
 */
export const changePassword = (change: components['schemas']['PasswordForm']) =>
  post('/change-password', change);
