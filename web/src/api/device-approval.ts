import { get } from './client';

/** Returns whether the owner has approved this device. `approval` is the text of the refused sign-in. */
export const isDeviceApproved = async (approval: string): Promise<boolean> =>
  (await get('/device-approval', { approval })).approved;
