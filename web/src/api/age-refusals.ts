import { get, post } from './client';
import type { operations } from './schema';

/** A form that counts its refusals for age. */
export type AgeForm = NonNullable<
  NonNullable<operations['age_refusals']['parameters']['query']>['form']
>;

/** Counts a birthday below the minimum age that the screen rejected. The birthday itself is not sent. */
export const countAgeRefusal = (form: AgeForm) => post('/age-refusals', undefined, { form });

/** Whether this browser has used up its attempts at the form. */
export const isBlockedForAge = async (form: AgeForm): Promise<boolean> =>
  (await get('/age-refusals', { form })).blocked;
