import type { components } from '../../src/api/schema.d.ts';
import {
  ADA,
  ALERT,
  type Answer,
  type Answers,
  after,
  ago,
  BUSY,
  DONE,
  NEW_PASSKEY,
  PASSKEY,
  PASSKEY_SIGNAL,
  proofRequired,
  SECURITY,
  type State,
  type Steps,
  SUBMIT,
  WAITING,
} from '../state.ts';
import { noCodeStates, secondFactorStates } from './second-factor.ts';

const key = {
  ...PASSKEY,
  id: '2',
  name: 'YubiKey 5 NFC',
  provider: 'YubiKey 5 NFC',
  synced: false,
  last_used_at: null,
};
const fresh = { ...PASSKEY, id: '4', name: 'Google Password Manager', last_used_at: null };
const elsewhere = { ...PASSKEY, id: '3', name: '1Password', this_site: false, site: 'example.com' };

const security = '/account/settings/security';
const LISTED = 'section section li';
const WRONG = '[aria-invalid="true"]';
const ADD = '[data-passkeys] section > button';
const listed = (passkeys: object[]): Answer => ({ body: { passkeys, signal: PASSKEY_SIGNAL } });
const signedIn = {
  'GET /users/me': { body: ADA },
  'GET /passkeys': listed([PASSKEY, key]),
  'GET /security': { body: SECURITY },
  'GET /connected-apps': { body: { apps: [] } },
};
const of = (answers: Answers, steps: Steps, shows: string): State => ({
  path: security,
  answers: { ...signedIn, ...answers },
  steps,
  shows,
});
const adding = (options: Answer, shows: string) =>
  of(
    { 'POST /passkeys/options': options, 'POST /passkeys': { body: fresh } },
    [{ press: ADD }],
    shows,
  );
const RENAME = `${LISTED} button:first-of-type`;
const REMOVE = `${LISTED} button:last-of-type`;
const withProof = (methods: string[], answer: Answer, steps: Steps, shows: string): State =>
  of(
    { 'POST /passkeys/options': proofRequired(...methods), 'POST /reauthenticate': answer },
    [{ press: ADD }, ...steps],
    shows,
  );
const typed = [
  { fill: { password: 'Sunny-Couch-42' } },
  { press: 'dialog[open] form [type="submit"]' },
];
/** The selector of the button below "Use a passkey". */
const LOST = { press: 'dialog[open] button:nth-of-type(2)' };
const lostPasskey = (steps: Steps, shows: string, proof: Answer = 'no content'): State =>
  of(
    {
      'POST /passkeys/options': proofRequired('passkey'),
      'POST /reauthenticate': proof,
      'POST /second-factor/reset': { status: 202, body: { at: ago(-7) } },
    },
    [{ press: ADD }, ...steps],
    shows,
  );

const app = (client_id: string, name: string) => ({
  client_id,
  name,
  first_used_at: ago(40),
  last_used_at: ago(1),
});
const apps: Answers = {
  'GET /passkeys': listed([]),
  'GET /connected-apps': { body: { apps: [app('wiki', 'Couch Wiki'), app('tv', 'Couch TV')] } },
};
const APPS = 'section > section li';
const left = [{ press: `${APPS} button` }];

export const securityStates = {
  loading: of({ 'GET /passkeys': 'never' }, [], WAITING),
  'load failed': of({ 'GET /passkeys': 'offline' }, [], ALERT),
  'no passkey': of(
    { 'GET /passkeys': listed([]), 'GET /security': { body: { ...SECURITY, passkeys: 0 } } },
    [],
    ADD,
  ),
  passkeys: of({ 'GET /passkeys': listed([PASSKEY, key, elsewhere]) }, [], LISTED),
  'connected apps': of(apps, [], APPS),
  'an app is left': of({ ...apps, 'DELETE /connected-apps/wiki': 'no content' }, left, DONE),
  'an app is not left': of({ ...apps, 'DELETE /connected-apps/wiki': 'offline' }, left, ALERT),
  'apps not loaded': of({ 'GET /connected-apps': 'offline' }, [], ALERT),
  'adding fails': adding({ status: 409, code: 'too_many_passkeys' }, ALERT),
  'adding waits': adding('never', BUSY),
  added: adding({ body: NEW_PASSKEY }, DONE),
  renaming: of({}, [{ press: RENAME }], SUBMIT),
  'name missing': of({}, [{ press: RENAME }, { fill: { name: ' ' } }, { press: SUBMIT }], WRONG),
  'removal question': of({}, [{ press: REMOVE }], 'dialog[open]'),
  removed: of(
    { 'DELETE /passkeys/1': { body: { signal: PASSKEY_SIGNAL } } },
    [{ press: REMOVE }, { press: 'dialog[open] button:last-of-type' }],
    DONE,
  ),
  'confirm it is you': withProof(['password'], 'never', [], 'dialog[open] form'),
  'confirm by passkey': withProof(['passkey', 'password'], 'never', [], 'dialog[open] form'),
  'confirm busy': withProof(['password'], 'never', typed, BUSY),
  'confirm wrong': withProof(['password'], 'not proved', typed, WRONG),
  'confirm at level 2': lostPasskey([], 'dialog[open] button'),
  'passkey lost': lostPasskey([LOST], 'dialog[open] form'),
  'passkey lost, wrong password': lostPasskey([LOST, ...typed], WRONG, 'not proved'),
  'passkey lost, wait begins': lostPasskey([LOST, ...typed], 'dialog[open] [role="status"]'),
  ...secondFactorStates(of),
  ...noCodeStates(of),
} satisfies Record<string, State>;

const event = (id: string, kind: string, days: number, more: object = {}) => ({
  id,
  kind,
  at: ago(days),
  device: 'Firefox · Windows',
  network: '203.0.113.0/24',
  current: false,
  actor: 'self',
  details: {},
  ...more,
});
const activityOf = (answer: Answer, shows: string, steps: Steps = []): State => ({
  path: '/account/activity',
  answers: {
    'GET /users/me': { body: ADA },
    'GET /activity': answer,
    'POST /activity/e1/not-me': 'unavailable',
  },
  steps,
  shows,
});
const ENTRY = 'section li';
const listing = (events: object[], shows: string, steps: Steps) =>
  activityOf({ body: { events, next: null } }, shows, steps);
/** The list contains every kind of event, so that each sentence appears in every language. */
const KINDS = Object.keys({
  signed_in: true,
  sign_in_blocked: true,
  registered: true,
  email_verified: true,
  migrated: true,
  signed_out: true,
  signed_out_everywhere: true,
  device_approved: true,
  device_refused: true,
  device_signed_out: true,
  password_changed: true,
  password_reset: true,
  email_change_requested: true,
  email_changed: true,
  email_change_undone: true,
  passkey_added: true,
  passkey_renamed: true,
  passkey_removed: true,
  passkey_rejected: true,
  second_factor_enabled: true,
  second_factor_disabled: true,
  recovery_code_used: true,
  recovery_codes_regenerated: true,
  // The list is newest first, so the screen joins this stop and its request.
  second_factor_reset_cancelled: true,
  second_factor_reset_requested: true,
  second_factor_reset: true,
  app_signed_in: true,
  app_signed_out: true,
  data_exported: true,
  deletion_requested: true,
  deletion_cancelled: true,
  marketing_consent_changed: true,
  disabled: true,
  enabled: true,
  support_viewed: true,
  support_acted: true,
} satisfies Record<components['schemas']['SecurityEvent'], true>);
const all = KINDS.map((kind, index) => event(`e${index}`, kind, index, { current: index === 0 }));

const signIns = [
  event('e0', 'sign_in_blocked', 0),
  event('e1', 'signed_in', 1, { current: true }),
  event('e2', 'signed_in', 2, { current: true }),
];
const NOT_ME = `${ENTRY} button`;
const CONFIRM = 'dialog[open] button:last-of-type';

export const activityStates = {
  loading: activityOf('never', WAITING),
  'load failed': activityOf('offline', ALERT),
  empty: listing([], 'section > p', []),
  events: activityOf({ body: { events: all.slice(0, 4), next: 'e3' } }, ENTRY),
  'every kind': listing(all, ENTRY, []),
  'not me fails': listing(all.slice(0, 2), ALERT, [{ press: NOT_ME }, { press: CONFIRM }]),
  'not me?': listing(signIns, 'dialog[open]', [{ press: NOT_ME }]),
  'not me, in this browser?': listing(signIns, 'dialog[open]', [{ press: 'li:last-child button' }]),
} satisfies Record<string, State>;

const link = '/account/undo?token=sample';
const undoing = after(link, 'POST /undo-credential', [{ press: 'section > button:last-of-type' }]);

const reported = (kind: string, name: string | null = null, over = false): State => ({
  path: link,
  answers: {
    'POST /undo-credential/details': {
      body: { change: { kind, at: ago(1), device: 'Chrome · Android', name, over } },
    },
  },
  shows: 'section > button',
});

const others = { passkeys: ['Phone', 'Laptop'], second_factor: true };

export const undoStates = {
  question: { path: link, shows: 'section > button' },
  'a passkey?': reported('passkey_added', 'iCloud Keychain'),
  'two-step verification?': reported('second_factor_enabled'),
  'recovery codes?': reported('recovery_codes_regenerated'),
  'a reset?': reported('second_factor_reset_requested'),
  'a stopped reset?': reported('second_factor_reset_requested', null, true),
  'a deletion?': reported('deletion_requested'),
  busy: undoing('never', BUSY),
  removed: undoing(
    { body: { message: 'ok', remaining: { passkeys: [], second_factor: false } } },
    DONE,
  ),
  'removed, others stay': undoing({ body: { message: 'ok', remaining: others } }, ENTRY),
  'address taken': undoing({ body: { message: 'ok', remaining: others, taken: true } }, ENTRY),
  'invalid link': undoing('spent', ALERT),
  kept: { path: link, steps: [{ press: 'section > button' }], shows: DONE },
  'no link': { path: '/account/undo', shows: ALERT },
} satisfies Record<string, State>;
