import { get, post } from './client';
import type { components } from './schema';

export type Activity = components['schemas']['Activity'];
export type ActivityEvent = components['schemas']['ActivityEvent'];

/** A page of the recent activity, newest first. */
export const fetchActivity = (before: string | null) => get('/activity', before ? { before } : {});

/** Forgets the device of a sign-in that the user reports as not their own. */
export const disownSignIn = (id: string) => post('/activity/{id}/not-me', undefined, { id });
