import { ADA, ALERT, BUSY, DAY, DONE, NOW, PASSWORD, type State, SUBMIT } from '../state.ts';

const path = '/account/';
const filled = { fill: { email: ADA.email, password: PASSWORD } };
const submitted = [filled, { press: SUBMIT }];

function refused(status: number, code: string, body: object = {}): State {
  const answers = { 'POST /login': { status, code, body } };
  return { path, answers, steps: submitted, shows: ALERT };
}

const full = refused(403, 'too_many_devices', {
  device_token: 'sample',
  devices: [
    { id: '1', name: 'Firefox · Windows', last_used_at: NOW - DAY },
    { id: '2', name: 'Safari · iPhone', last_used_at: NOW - 12 * DAY },
  ],
});

export const signIn = {
  loading: { path, answers: { 'GET /users/me': 'never' } },
  form: { path, shows: SUBMIT },
  filled: { path, steps: [filled] },
  busy: { path, answers: { 'POST /login': 'never' }, steps: submitted, shows: BUSY },
  failed: refused(401, 'invalid_credentials'),
  'address not verified': refused(403, 'email_not_verified'),
  'new device': refused(403, 'new_device'),
  'too many devices': full,
  'a device made room': {
    ...full,
    answers: { ...full.answers, 'POST /devices/sign-out': { status: 204 } },
    steps: [...submitted, { press: 'li button' }],
    shows: DONE,
  },
  'too many tries': refused(429, 'rate_limited'),
  'server busy': refused(503, 'busy'),
  offline: { path, answers: { 'POST /login': 'offline' }, steps: submitted, shows: ALERT },
  done: { path, answers: { 'POST /login': { body: ADA } }, steps: submitted, shows: DONE },
  'signed out': { path, history: { signedOut: true }, shows: DONE },
  'language menu': {
    path,
    steps: [{ wait: SUBMIT }, { press: 'button[aria-haspopup="menu"]' }],
    shows: '[role="menu"]',
  },
} as const satisfies Record<string, State>;
