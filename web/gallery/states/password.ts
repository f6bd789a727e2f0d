import { ADA, ALERT, after, BUSY, DONE, PASSWORD, type State, SUBMIT } from '../state.ts';

const ask = '/account/request-password';
const requestReset = [{ fill: { email: ADA.email } }, { press: SUBMIT }];
const answered = after(ask, 'POST /reset-password', requestReset);
const outcome = (code: string) => ({ body: { success: true, message: code, code } });

export const requestPassword = {
  form: { path: ask, shows: SUBMIT },
  wrong: { path: ask, steps: [{ press: SUBMIT }], shows: ALERT },
  busy: answered('never', BUSY),
  offline: answered('offline', ALERT),
  'too many tries': answered({ status: 429, code: 'rate_limited' }, ALERT),
  sent: answered(outcome('reset_sent'), DONE),
  'in the old system': answered(outcome('needs_migration'), DONE),
} as const satisfies Record<string, State>;

const choose = '/account/reset-password?token=sample';
const both = { new_password: PASSWORD, confirm_password: PASSWORD };
const chosen = after(choose, 'POST /reset-password/confirm', [{ fill: both }, { press: SUBMIT }]);

export const resetPassword = {
  form: { path: choose, shows: SUBMIT },
  typing: { path: choose, steps: [{ fill: { new_password: 'Couch', confirm_password: 'Co' } }] },
  wrong: {
    path: choose,
    steps: [{ fill: { ...both, confirm_password: 'Couch' } }, { press: SUBMIT }],
    shows: ALERT,
  },
  reused: chosen({ status: 422, code: 'password_reused' }, ALERT),
  'link spent': chosen('spent', ALERT),
  busy: chosen('never', BUSY),
  offline: chosen('offline', ALERT),
  done: chosen({ body: { success: true, message: 'done' } }, DONE),
  'done, passkeys left': chosen(
    { body: { success: true, message: 'done', passkeys: ['iCloud Keychain', 'YubiKey 5 NFC'] } },
    DONE,
  ),
  'no link': { path: '/account/reset-password', shows: ALERT },
  'link refused at once': { path: choose, answers: { 'POST /link-address': 'spent' }, shows: DONE },
} as const satisfies Record<string, State>;
