import { get } from './client';

/** Returns whether the account's owner has approved this device. `approval` comes from the error `new_device`. */
export const isDeviceApproved = async (approval: string): Promise<boolean> =>
  (await get('/device-approval', { approval })).approved;
