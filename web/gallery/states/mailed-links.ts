import {
  ADA,
  ALERT,
  type Answer,
  after,
  ago,
  BUSY,
  DONE,
  type State,
  SUBMIT,
  WAITING,
} from '../state.ts';

const verify = '/account/verify-email?token=sample';
const opened = after(verify, 'GET /confirm-email');
const confirmed = (code: string) => ({ body: { message: code, code } });
const question = {
  ...confirmed('device_pending').body,
  device: 'Firefox · Windows',
  requested_at: ago(1 / 24),
};
const elsewhere = { ...question, ...confirmed('device_approved').body };
const YES = 'dl ~ button';
const NO = 'dl ~ button:last-of-type';
const decided = (answer: Answer, button: string, shows: string): State => ({
  path: verify,
  answers: { 'GET /confirm-email': { body: question }, 'POST /confirm-device': answer },
  steps: [{ press: button }],
  shows,
});
const failed = opened('spent', ALERT);

export const verifyEmail = {
  verifying: opened('never', WAITING),
  verified: opened(confirmed('email_verified'), DONE),
  'device approved': opened(confirmed('device_approved'), DONE),
  'device approved elsewhere': opened({ body: elsewhere }, DONE),
  'was this you?': opened({ body: question }, 'dl'),
  'was this you? busy': decided('never', YES, BUSY),
  'was this you? failed': decided({ status: 500, code: 'internal' }, YES, ALERT),
  'was this you? link spent': decided('spent', YES, ALERT),
  'this was me': decided({ body: elsewhere }, YES, DONE),
  'device link expired': opened(
    { status: 400, code: 'invalid_token', body: { purpose: 'device_approval' } },
    ALERT,
  ),
  'it was not': decided(confirmed('device_refused'), NO, 'section > a'),
  failed,
  'sent again': {
    ...failed,
    answers: { ...failed.answers, 'POST /resend-verification': { body: { message: 'sent' } } },
    steps: [{ fill: { email: ADA.email } }, { press: SUBMIT }],
    shows: DONE,
  },
  offline: opened('offline', ALERT),
  'no link': { path: '/account/verify-email', shows: ALERT },
} as const satisfies Record<string, State>;

const change = '/account/change-email?verificationToken=sample';
const changed = after(change, 'GET /confirm-email-change');
const undo = '/account/change-email?undo=sample';
const undone = after(undo, 'POST /undo-email-change', [{ press: 'section > button' }]);
const address = { body: { message: 'done', email: ADA.email } };
const remaining = { passkeys: ['Phone'], second_factor: false };
const restored = (taken: boolean) => ({ body: { ...address.body, taken, remaining } });

export const changeEmail = {
  confirming: changed('never', WAITING),
  changed: changed(address, DONE),
  failed: changed('spent', ALERT),
  taken: changed({ status: 409, code: 'account_exists' }, ALERT),
  offline: changed('offline', ALERT),
  'no link': { path: '/account/change-email', shows: ALERT },
  undo: { path: undo },
  'undo, with details': {
    path: undo,
    answers: {
      'POST /undo-credential/details': {
        body: {
          change: null,
          email_change: { email: 'n…@e….net', at: ago(1) },
        },
      },
    },
  },
  'undo, busy': undone('never', BUSY),
  'undo, failed': undone('spent', ALERT),
  'undo, done': undone(restored(false), DONE),
  'undo, address taken': undone(restored(true), DONE),
} as const satisfies Record<string, State>;

const signOutPath = '/account/sign-out';
const leaving = after(signOutPath, 'POST /logout', [{ press: 'section > button' }]);

export const signOut = {
  question: { path: signOutPath },
  busy: leaving('never', BUSY),
  failed: leaving('unavailable', ALERT),
  done: leaving('no content', DONE),
} as const satisfies Record<string, State>;
