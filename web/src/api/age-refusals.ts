import { get, post } from './client';
import type { operations } from './schema';

/** A form for which the server counts birthdays below the minimum age. */
export type AgeCheckedForm = NonNullable<
  NonNullable<operations['age_refusals']['parameters']['query']>['form']
>;

/** Tells the server to count a rejected birthday below the minimum age. The birthday itself is not sent. */
export const countAgeRefusal = (form: AgeCheckedForm) => post('/age-refusals', undefined, { form });

/** Returns whether this browser has used up its attempts at a form with a minimum age. */
export const isBlockedForAge = async (form: AgeCheckedForm): Promise<boolean> =>
  (await get('/age-refusals', { form })).blocked;
