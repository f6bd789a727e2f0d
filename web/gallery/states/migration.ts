import { ADA, ALERT, after, BUSY, DONE, PASSWORD, type State, SUBMIT } from '../state.ts';

const ask = '/account/migration';
const requested = after(ask, 'POST /migration', [
  { fill: { email: ADA.email } },
  { press: SUBMIT },
]);

const confirm = '/account/migration?email=ada%40example.com&token=sample';
const both = { password: PASSWORD, confirm_password: PASSWORD };
const confirmed = after(confirm, 'POST /migration/confirm', [{ fill: both }, { press: SUBMIT }]);

export const migration = {
  form: { path: ask, shows: SUBMIT },
  wrong: { path: ask, steps: [{ press: SUBMIT }], shows: ALERT },
  busy: requested('never', BUSY),
  offline: requested('offline', ALERT),
  sent: requested({ body: { message: 'sent', code: 'migration_sent' } }, DONE),
  'sent by the sign-in': {
    path: '/account/migration?email=ada%40example.com',
    history: { needsMigration: true },
    shows: SUBMIT,
  },
  'second step': { path: confirm, shows: SUBMIT },
  'second step, wrong': { path: confirm, steps: [{ press: SUBMIT }], shows: ALERT },
  'second step, link spent': confirmed('spent', ALERT),
  'second step, under age': confirmed({ status: 422, code: 'underage' }, ALERT),
  'second step, busy': confirmed('never', BUSY),
  done: confirmed({ body: ADA }, DONE),
} as const satisfies Record<string, State>;

const complete = '/account/migration-confirmation?migration_token=sample';
const details = {
  ...both,
  first_name: 'Ada',
  last_name: 'Sample',
  'country-name': 'Chile',
  day: '7',
  month: '4',
  year: '1989',
  zipcode: '10115',
};
const known = {
  first_name: 'Ada',
  last_name: 'Sample',
  country: 'cl',
  birthday_day: null,
  birthday_month: 4,
  birthday_year: 1989,
  zipcode: null,
};
const completed = after(complete, 'POST /migration/complete', [
  { fill: details },
  { press: SUBMIT },
]);

export const completion = {
  form: { path: complete, shows: SUBMIT },
  'known details': {
    path: complete,
    answers: { 'POST /link-address': { body: { email: ADA.email, known } } },
    shows: '[name="username"]',
  },
  errors: { path: complete, steps: [{ press: SUBMIT }], shows: ALERT },
  'short form': { path: complete, form: 'short', shows: SUBMIT },
  'short form, errors': { path: complete, form: 'short', steps: [{ press: SUBMIT }], shows: ALERT },
  'under age': completed({ status: 422, code: 'underage' }, ALERT),
  'link spent': completed('spent', ALERT),
  busy: completed('never', BUSY),
  offline: completed('offline', ALERT),
  done: completed({ body: ADA }, DONE),
  'no link': { path: '/account/migration-confirmation', shows: ALERT },
} as const satisfies Record<string, State>;

const stop = '/account/unsubscribe?token=sample';
const stopped = after(stop, 'POST /unsubscribe', [{ press: 'section > button' }]);

export const unsubscribe = {
  question: { path: stop },
  busy: stopped('never', BUSY),
  failed: stopped('spent', ALERT),
  done: stopped({ body: { message: 'done' } }, DONE),
  'no link': { path: '/account/unsubscribe', shows: ALERT },
} as const satisfies Record<string, State>;
