import { get, postPath } from './client';
import type { components } from './schema';

export type Activity = components['schemas']['Activity'];
export type ActivityEvent = components['schemas']['ActivityEvent'];

/** A page of the recent activity, newest first. */
export const fetchActivity = (before: string | null): Promise<Activity> =>
  get('/activity', (before ? { before } : {}) as { before: string; limit: string });

/** Forgets the device of a sign-in that was not the user's. */
export const disownSignIn = (id: string): Promise<{ message: string }> =>
  postPath(`/activity/${id}/not-me`);
