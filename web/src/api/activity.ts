import { get, post } from './client';
import type { components } from './schema';

export type Activity = components['schemas']['Activity'];
export type ActivityEvent = components['schemas']['ActivityEvent'];

/** Fetches a page of events, newest first. `before` is the value `next` of the previous page, or null. */
export const fetchActivity = (before: string | null) => get('/activity', before ? { before } : {});

/** Removes the device of a sign-in that the user does not recognise, so that its sessions end. */
export const disownSignIn = (id: string) => post('/activity/{id}/not-me', undefined, { id });
