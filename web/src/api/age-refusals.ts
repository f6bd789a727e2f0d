import { get, post } from './client';

declare module './schema' {
  interface paths {
    '/age-refusals': {
      get: { responses: { 200: { content: { 'application/json': { blocked: boolean } } } } };
      post: { responses: { 204: { content?: never } } };
    };
  }
}

/** Counts a birthday under age that the screen refused. No birthday is sent. */
export const countAgeRefusal = (): Promise<undefined> => post('/age-refusals');

/** Whether this browser has used up its tries. */
export const isBlockedForAge = async (): Promise<boolean> => (await get('/age-refusals')).blocked;
