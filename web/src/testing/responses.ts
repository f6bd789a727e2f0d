import { HttpResponse } from 'msw';
import { networkError, refusal } from './api';

/** The response to a request without a valid session. */
export const unauthenticated = () => refusal(401, 'unauthenticated', 'Sign in first.');

export const noContent = () => new HttpResponse(null, { status: 204 });

/** The error that requires reauthentication by one of the methods. */
export const askForProof = (...methods: string[]) =>
  refusal(403, 'reauthentication_required', 'Confirm.', {}, { methods });

/** A failed response, and the message that the screen shows for it. */
export type FailedCall = [fail: () => Response, sentence: string];

/** Failed responses after which the user can only retry. `fallback` is the default message of the screen. */
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
