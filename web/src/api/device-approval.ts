import { get } from './client';

/** Returns whether the owner has approved this device. `approval` comes from the response that refused the sign-in. */
export const isDeviceApproved = async (approval: string): Promise<boolean> =>
  (await get('/device-approval', { approval })).approved;
