import { HttpResponse } from 'msw';
import { networkError, refusal } from './api';

/** The response after the session ended. */
export const unauthenticated = () => refusal(401, 'unauthenticated', 'Sign in first.');

export const noContent = () => new HttpResponse(null, { status: 204 });

/** The refusal that asks for another proof of identity by one of the methods. */
export const askForProof = (...methods: string[]) =>
  refusal(403, 'reauthentication_required', 'Confirm.', {}, { methods });

/** A failure of an API call, and the message that the screen shows for this failure. */
export type FailedCall = [fail: () => Response, sentence: string];

/** Failures after which the user can only repeat the call. `fallback` is the sentence of the screen itself. */
export const failures = (fallback: string): FailedCall[] => [
  [() => refusal(429, 'rate_limited', 'Slow down.'), 'Slow down.'],
  [
    () => refusal(429, 'rate_limited', 'Slow down.', { 'Retry-After': '120' }),
    'Please wait 2 minutes',
  ],
  [() => refusal(503, 'unavailable', 'A short break.'), 'A short break.'],
  [() => refusal(502, 'odd', {}), fallback],
  [networkError, 'We can’t reach the server.'],
];
