import { get, post } from './client';

/** Counts a birthday under age that the screen refused. No birthday is sent. */
export const countAgeRefusal = (): Promise<undefined> => post('/age-refusals');

/** Whether this browser has used up its tries. */
export const isBlockedForAge = async (): Promise<boolean> => (await get('/age-refusals')).blocked;
