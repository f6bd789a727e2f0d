import { get, post } from './client';

/** Counts a birthday below the minimum age that the screen rejected. The birthday itself is not sent. */
export const countAgeRefusal = (): Promise<undefined> => post('/age-refusals');

/** Whether this browser has used up its attempts. */
export const isBlockedForAge = async (): Promise<boolean> => (await get('/age-refusals')).blocked;
