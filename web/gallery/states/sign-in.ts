import {
  ADA,
  ALERT,
  type Answer,
  BUSY,
  DONE,
  device,
  PASSWORD,
  type State,
  SUBMIT,
} from '../state.ts';
import { codeStates } from './code-step.ts';

const path = '/account/';
const filled = { fill: { email: ADA.email, password: PASSWORD } };
const submitted = [filled, { press: SUBMIT }];

function refused(
  status: number,
  code: string,
  body: object = {},
  headers: Record<string, string> = {},
): State {
  const answers = { 'POST /login': { status, code, body, headers } };
  return { path, answers, steps: submitted, shows: ALERT };
}

/** The history state with a notice for the screen. */
const said = (text: string, values = {}) => ({ notice: { text, values } });
const toldToSignIn = (text: string) => ({ notice: { text, neutral: true } });

/** A right password that a policy stops. */
const stopped = (code: string, body: object = {}): State => ({
  ...refused(403, code, body),
  shows: DONE,
});

/** A sign-in that waits for the approval of the device, and the answer to each check of the approval. */
const newDevice = (approval: Answer, shows: string): State => {
  const state = stopped('new_device', { approval: 'sample' });
  return { ...state, answers: { ...state.answers, 'GET /device-approval': approval }, shows };
};

const atLimit = {
  device_token: 'sample',
  devices: [device('1', 'Firefox · Windows', 90, 1), device('2', 'Safari · iPhone', 40, 12)],
};
const full = stopped('too_many_devices', atLimit);

const OPEN_MENU = [{ wait: SUBMIT }, { press: 'button[aria-haspopup="menu"]' }];
const OTHER_LANGUAGE = '[role="menuitemradio"][aria-checked="false"]';
/** Chooses another language whose translations do not load. */
function language(answer: Answer, shows: string): State {
  const calls = ['en', 'de', 'es', 'pt'].map((code) => [`GET /translations/${code}`, answer]);
  const answers = Object.fromEntries(calls);
  return { path, answers, steps: [...OPEN_MENU, { press: OTHER_LANGUAGE }], shows };
}

export const signIn = {
  loading: { path, answers: { 'GET /users/me': 'never' } },
  form: { path, shows: SUBMIT },
  'for another application': { path, signingInTo: 'Couch Wiki', shows: SUBMIT },
  filled: { path, steps: [filled] },
  busy: { path, answers: { 'POST /login': 'never' }, steps: submitted, shows: BUSY },
  failed: refused(401, 'invalid_credentials'),
  'address not verified': stopped('email_not_verified'),
  'link sent again': {
    ...stopped('email_not_verified'),
    answers: {
      'POST /login': { status: 403, code: 'email_not_verified' },
      'POST /resend-verification': { body: { message: 'sent' } },
    },
    steps: [...submitted, { press: '[role="status"] button' }],
    shows: '[role="status"] p ~ div p',
  },
  'new device': newDevice({ body: { approved: false } }, DONE),
  'new device not approved': {
    ...newDevice('spent', ALERT),
    // A press checks the approval at once, instead of after five seconds.
    steps: [...submitted, { press: `${DONE} button` }],
  },
  disabled: stopped('account_disabled'),
  'too many devices': full,
  'a device made room': {
    ...full,
    answers: { ...full.answers, 'POST /devices/sign-out': 'no content' },
    steps: [...submitted, { press: 'li button' }],
    shows: 'form > [role="status"]',
  },
  ...codeStates({ status: 403, code: 'too_many_devices', body: atLimit }),
  'too many tries': refused(429, 'rate_limited', {}, { 'Retry-After': '300' }),
  'server busy': refused(503, 'busy'),
  offline: { path, answers: { 'POST /login': 'offline' }, steps: submitted, shows: ALERT },
  done: { path, answers: { 'POST /login': { body: ADA } }, steps: submitted, shows: DONE },
  'signed out': { path, history: said('sign_in.signed_out'), shows: DONE },
  'session ended': { path, history: toldToSignIn('sign_in.session_ended'), shows: DONE },
  'session needed': { path, history: toldToSignIn('sign_in.session_needed'), shows: DONE },
  'address verified': { path, history: said('answer.email_verified'), shows: DONE },
  'account moved': { path, history: said('migration.done', { username: 'ada1815' }), shows: DONE },
  'sign-in here disowned': { path, history: said('answer.sign_in_disowned'), shows: DONE },
  'language loading': language('never', 'button[aria-haspopup="menu"] ~ p'),
  'language not loaded': language({ status: 404 }, ALERT),
  'language menu': { path, steps: OPEN_MENU, shows: '[role="menu"]' },
} as const satisfies Record<string, State>;
