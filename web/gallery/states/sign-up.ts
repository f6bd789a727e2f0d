import { ADA, ALERT, BUSY, DONE, PASSWORD, type State, SUBMIT } from '../state.ts';

const path = '/account/signup';
/** A country with the same name in all four languages. */
const person = {
  ...ADA,
  password: PASSWORD,
  'country-name': 'Chile',
  zipcode: '10115',
  day: '7',
  month: '4',
  year: '1989',
};
const submitted = [{ fill: person }, { press: SUBMIT }];
const joined = { 'POST /register': { status: 201, body: ADA } };

function refused(status: number, code: string, field: string): State {
  const answers = { 'POST /register': { status, code, fields: { [field]: code } } };
  return { path, answers, steps: submitted, shows: ALERT };
}

export const signUp = {
  form: { path, shows: SUBMIT },
  typing: { path, steps: [{ fill: { email: ADA.email, username: 'Ada', password: 'couch' } }] },
  errors: { path, steps: [{ press: SUBMIT }], shows: ALERT },
  countries: {
    path,
    steps: [{ press: '[name="country-name"] ~ div button:last-child' }],
    shows: '[role="option"]',
  },
  'no such country': { path, steps: [{ fill: { 'country-name': 'Atlantis' } }] },
  'address taken': refused(409, 'account_exists', 'email'),
  'address in the old system': refused(409, 'email_in_old_system', 'email'),
  'name taken': refused(409, 'username_in_use', 'username'),
  failed: {
    path,
    answers: { 'POST /register': { status: 500, code: 'internal' } },
    steps: submitted,
    shows: ALERT,
  },
  'under age': refused(422, 'underage', 'birthday'),
  busy: { path, answers: { 'POST /register': 'never' }, steps: submitted, shows: BUSY },
  offline: { path, answers: { 'POST /register': 'offline' }, steps: submitted, shows: ALERT },
  done: { path, answers: joined, steps: submitted, shows: DONE },
  'correcting the address': {
    path,
    answers: joined,
    steps: [...submitted, { wait: DONE }, { press: 'main p + button' }],
    shows: SUBMIT,
  },
  'sent again': {
    path,
    answers: { ...joined, 'POST /resend-verification': { body: { message: 'sent' } } },
    steps: [...submitted, { wait: DONE }, { press: SUBMIT }],
    shows: 'form [role="status"]',
  },
  'sent again too soon': {
    path,
    answers: { ...joined, 'POST /resend-verification': 'rate limited' },
    steps: [...submitted, { wait: DONE }, { press: SUBMIT }],
    shows: ALERT,
  },
} as const satisfies Record<string, State>;
