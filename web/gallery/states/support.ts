import { ALERT, ago, DONE, IN_A_WEEK, proofRequired, type State } from '../state.ts';

const path = '/account/support';
const QUERY = 'AdaOnTheCouch';
const FACTS = 'dl';

const account = {
  id: '0190b0a0-0000-7000-8000-000000000001',
  username: QUERY,
  email: 'a…@e….com',
  state: 'active',
  created_at: ago(400),
  verified: true,
  last_seen_day: ago(1).slice(0, 10),
  region: 'us',
  brand: 'Couch & Moon',
  language: 'en',
  devices: 2,
  passkeys: 1,
  second_factor: true,
  deletion_at: null,
  legacy: false,
};

const as = (role: 'support' | 'admin', found: object | null) => ({
  'GET /support/me': { body: { username: 'kim', role } },
  'GET /support/accounts': { body: { account: found } },
});
const FIND = 'form [type="submit"]';
/** The line with the agent's name. The form is disabled until this line is shown. */
const AGENT = 'p:has(+ form)';
const LOOKUP = [{ wait: AGENT }, { fill: { query: QUERY } }, { press: FIND }];
const found = (role: 'support' | 'admin', more: object, shows = FACTS): State => ({
  path,
  answers: as(role, { ...account, ...more }),
  steps: LOOKUP,
  shows,
});
const listed = {
  [`GET /support/accounts/${account.id}/activity`]: {
    body: {
      events: [
        { id: '2', kind: 'signed_in', at: ago(1), device: 'Firefox · Windows', actor: 'self' },
        { id: '1', kind: 'support_viewed', at: ago(2), device: null, actor: 'support' },
      ],
      next: null,
    },
  },
  [`GET /support/accounts/${account.id}/mails`]: {
    body: {
      mails: [
        {
          kind: 'reset_password',
          queued_at: ago(1),
          sent_at: null,
          failed_at: ago(1),
          error: '550 5.1.1 user unknown',
        },
        { kind: 'verify_email', queued_at: ago(9), sent_at: ago(9), failed_at: null, error: null },
      ],
    },
  },
};
const audited = { actor: 'kim', account: account.id, reason: null };
const ACTION = 'h3 + div button:last-child';

export const supportStates = {
  empty: { path, answers: as('support', null) },
  'admin, empty': { path, answers: as('admin', null), shows: '#audit' },
  'not found': {
    path,
    answers: as('support', null),
    steps: LOOKUP,
    shows: DONE,
  },
  'lookup refused': {
    path,
    answers: {
      ...as('support', null),
      'GET /support/accounts': { status: 429, code: 'rate_limited' },
    },
    steps: LOOKUP,
    shows: ALERT,
  },
  active: found('support', {}),
  'active, for an admin': found('admin', {}),
  unverified: found('support', { state: 'unverified', verified: false }),
  disabled: found('admin', { state: 'disabled' }),
  'about to be deleted': found('support', { state: 'deletion_pending', deletion_at: IN_A_WEEK }),
  'in the old system': found('support', {
    state: 'legacy',
    legacy: true,
    verified: false,
    created_at: null,
    last_seen_day: null,
    region: null,
    brand: null,
  }),
  'activity and mails': {
    path,
    answers: { ...as('support', account), ...listed },
    steps: [
      ...LOOKUP,
      { press: 'dl + div button:first-child' },
      { wait: 'dl + div + ul' },
      { press: 'dl + div button:last-child' },
    ],
    shows: 'ul + ul',
  },
  'asks for a reason': {
    ...found('admin', {}),
    steps: [...LOOKUP, { press: ACTION }],
    shows: '[name="reason"]',
  },
  audit: {
    path,
    answers: {
      ...as('admin', null),
      'GET /support/audit': {
        body: {
          entries: [
            { ...audited, id: '2', at: ago(1), action: 'disable', reason: 'Ticket 4711' },
            { ...audited, id: '1', at: ago(2), action: 'enable', refusal: 'not_found' },
          ],
          next: '1',
        },
      },
    },
    steps: [{ press: '#audit ~ div button' }],
    shows: '#audit ~ ul',
  },
  'idle: asks for a proof': {
    path,
    answers: { 'GET /support/me': proofRequired('password', 'totp') },
    shows: 'dialog[open] form',
  },
  'without a second factor': {
    path,
    answers: { 'GET /support/me': proofRequired() },
    shows: ALERT,
  },
} satisfies Record<string, State>;
