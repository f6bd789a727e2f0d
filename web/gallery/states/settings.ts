import type { components } from '../../src/api/schema.d.ts';
import {
  ADA,
  ALERT,
  type Answer,
  type Answers,
  after,
  BUSY,
  DONE,
  device,
  NEW_PASSKEY,
  PASSKEY,
  PASSWORD,
  proofRequired,
  SECURITY,
  type State,
  type Steps,
  SUBMIT,
  WAITING,
} from '../state.ts';
import { bannerStates } from './second-factor.ts';

const path = '/account/settings';
const here = { ...device('1', 'Chrome · Linux', 60, 0), current: true };
const elsewhere = { ...device('2', 'Safari · iPhone', 200, 3), current: false };
const twin = { ...device('3', 'Safari · iPhone', 20, 5), current: false };
const signedIn = {
  'GET /users/me': { body: ADA },
  'GET /devices': { body: { devices: [here, elsewhere, twin] } },
};
const long = {
  email: 'riley.on.the.very.long.couch@moonhill.example.com',
  username: 'R'.repeat(32),
};

const PROFILE = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  country: 'us',
  zipcode: '90210',
  birthday: '1990-12-10',
} satisfies components['schemas']['Profile'];

const LISTED = 'section section li';
function account(steps: Steps, answers: Answers, shows: string): State {
  return { path, answers: { ...signedIn, ...answers }, steps: [{ wait: LISTED }, ...steps], shows };
}

const CHANGE_EMAIL = 'dl > div:nth-of-type(2) dd > button';
const CHANGE_PASSWORD = 'dl > div:nth-of-type(3) dd > button';
const passwords = {
  current_password: 'Old-Couch-41',
  new_password: PASSWORD,
  confirm_password: PASSWORD,
};
const pending = {
  'GET /security': {
    body: { ...SECURITY, pending_email: 'riley.on.the.very.long.couch@moonhill.example.com' },
  },
};
const PENDING = 'dl > div:nth-of-type(2) dd ~ dd:last-of-type >';
const RESEND = `${PENDING} button`;
const CANCEL_EMAIL = `${PENDING} button:last-of-type`;
const resent = (answer: Answer, shows: string) =>
  account([{ press: RESEND }], { ...pending, 'POST /change-email': answer }, shows);
const email = (answer: Answer, shows: string) =>
  account(
    [{ press: CHANGE_EMAIL }, { fill: { email: 'ada@moonhill.example' } }, { press: SUBMIT }],
    { 'POST /change-email': answer },
    shows,
  );
const password = (answer: Answer, shows: string) =>
  account(
    [{ press: CHANGE_PASSWORD }, { fill: passwords }, { press: SUBMIT }],
    { 'POST /change-password': answer },
    shows,
  );
const devices = after(path, 'GET /devices', [], signedIn);
const noPasskey = {
  'GET /security': { body: { ...SECURITY, passkeys: 0, passkey_on_this_site: false } },
};
const OFFER = 'nav + section';
const ADD = `${OFFER} > button`;
const offer = (answers: Answers, shows: string) =>
  account([{ press: ADD }], { ...noPasskey, ...answers }, shows);
const SHOW = 'section > section:last-of-type > button';
const about = (answer: Answer, shows: string) =>
  account([{ press: SHOW }], { 'GET /profile': answer }, shows);
const SIGN_OUT = 'section > div:last-child > button';

export const settings = {
  loading: { path, answers: { 'GET /users/me': 'never' } },
  account: account([], {}, LISTED),
  'long names': account([], { 'GET /users/me': { body: long } }, LISTED),
  'not loaded': { path, answers: { 'GET /users/me': 'offline' }, shows: ALERT },
  'email form': account([{ press: CHANGE_EMAIL }], {}, SUBMIT),
  'email wrong': account(
    [{ press: CHANGE_EMAIL }, { fill: { email: 'ada' } }, { press: SUBMIT }],
    {},
    ALERT,
  ),
  'email taken': email({ status: 409, code: 'account_exists' }, ALERT),
  'email busy': email('never', BUSY),
  'email pending': account([], pending, CANCEL_EMAIL),
  'email sent again': resent({ body: { message: 'sent' } }, DONE),
  'email not sent again': resent('rate limited', ALERT),
  'email confirmed elsewhere': resent({ status: 422, code: 'email_unchanged' }, DONE),
  'email change cancelled': account(
    [{ press: CANCEL_EMAIL }],
    { ...pending, 'DELETE /change-email': 'no content' },
    DONE,
  ),
  'email saved': email({ body: { message: 'sent' } }, DONE),
  'password form': account([{ press: CHANGE_PASSWORD }], {}, SUBMIT),
  'password wrong': password({ status: 403, code: 'current_password_mismatch' }, ALERT),
  'password saved': password({ body: { message: 'done' } }, DONE),
  'devices loading': devices('never', `section ${WAITING}`),
  'devices not loaded': devices('unavailable', ALERT),
  'no devices': devices({ body: { devices: [] } }, 'section section > p'),
  'device signed out': account(
    [{ press: 'li:nth-child(2) button' }],
    { 'POST /devices/sign-out': 'no content' },
    DONE,
  ),
  'sign out everywhere?': account(
    [{ press: 'section section > button:last-of-type' }],
    {},
    'dialog[open]',
  ),
  'about you, busy': about('never', BUSY),
  'about you, asks for a proof': about(proofRequired('password'), 'dialog[open] form'),
  'about you, not loaded': about('unavailable', ALERT),
  'about you': about({ body: PROFILE }, 'section section dl'),
  'about you, an old account': about(
    { body: { ...PROFILE, first_name: null, last_name: null, birthday: '1990-12-01' } },
    'section section dl',
  ),
  'passkey offered': account([], noPasskey, OFFER),
  'offer waits': offer({ 'POST /passkeys/options': 'never' }, `${OFFER} ${BUSY}`),
  'offer fails': offer({ 'POST /passkeys/options': 'offline' }, ALERT),
  'offer asks who you are': offer(
    { 'POST /passkeys/options': proofRequired('password') },
    'dialog[open] form',
  ),
  'offer accepted': offer(
    { 'POST /passkeys/options': { body: NEW_PASSKEY }, 'POST /passkeys': { body: PASSKEY } },
    DONE,
  ),
  ...bannerStates(account),
  'sign-out busy': account([{ press: SIGN_OUT }], { 'POST /logout': 'never' }, BUSY),
  'sign-out failed': account([{ press: SIGN_OUT }], { 'POST /logout': 'offline' }, ALERT),
} as const satisfies Record<string, State>;

export const shell = {
  'not found': { path: '/account/no-such-screen', shows: 'section > a' },
  // A timestamp outside the range of `Date` makes the list of devices throw when React renders the list.
  error: devices({ body: { devices: [{ ...here, last_used_at: 'never' }] } }, ALERT),
  'no header, no footer': {
    path: '/account/',
    answers: { 'GET /ui/header': { status: 502 }, 'GET /ui/footer': { status: 502 } },
    shows: SUBMIT,
  },
} as const satisfies Record<string, State>;
