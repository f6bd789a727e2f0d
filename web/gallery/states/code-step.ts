import {
  ADA,
  ALERT,
  type Answer,
  type Answers,
  BUSY,
  DONE,
  PASSWORD,
  type State,
  type Steps,
  SUBMIT,
} from '../state.ts';

const WRONG = '[aria-invalid="true"]';
const CODE = { code: '123456' };
const RECOVERY = 'main form > button[type="button"]';
const LOST = 'main form a:last-of-type';
const RESET = 'hr + div [type="submit"]';
const required = (more: object): Answer => ({
  status: 403,
  code: 'second_factor_required',
  body: { second_factor_token: 'sample', methods: ['totp', 'recovery_code'], ...more },
});
const signingIn = (answers: Answers, steps: Steps, shows: string): State => ({
  path: '/account/',
  answers: { 'POST /login': required({}), ...answers },
  steps: [
    { fill: { email: ADA.email, password: PASSWORD } },
    { press: SUBMIT },
    { wait: '[name="code"]' },
    ...steps,
  ],
  shows,
});
const sent = (answer: Answer, shows: string, more: Steps = []) =>
  signingIn(
    { 'POST /login/second-factor': answer },
    [{ fill: CODE }, { press: SUBMIT }, ...more],
    shows,
  );

const resetting = (answer: Answer, shows: string) =>
  signingIn({ 'POST /second-factor/reset': answer }, [{ press: LOST }, { press: RESET }], shows);

/** The states of the second step of the sign-in. `full` is the error response at the device limit. */
export const codeStates = (full: Answer) =>
  ({
    code: signingIn({}, [], '[name="code"]'),
    'recovery code': signingIn({}, [{ press: RECOVERY }], '[name="recovery_code"]'),
    'code missing': signingIn({}, [{ press: SUBMIT }], WRONG),
    'code busy': sent('never', BUSY),
    'code wrong': sent({ status: 401, code: 'code_invalid' }, WRONG),
    'code used before': sent({ status: 401, code: 'code_reused' }, WRONG),
    'recovery code refused': signingIn(
      { 'POST /login/second-factor': { status: 401, code: 'code_invalid' } },
      [{ press: RECOVERY }, { fill: { recovery_code: '7K3M-Q2XW-9R4T-HB5C' } }, { press: SUBMIT }],
      WRONG,
    ),
    'too many codes': sent('rate limited', ALERT),
    'code step expired': sent('spent', ALERT),
    'too many devices after the code': sent(full, DONE),
    'no code': signingIn({ 'POST /login': required({ passkey: true }) }, [{ press: LOST }], RESET),
    'no code and no passkey': signingIn({}, [{ press: LOST }], RESET),
    'reset running': signingIn(
      { 'POST /login': required({ reset_at: '2026-12-04T12:00:00Z' }) },
      [{ press: LOST }],
      'hr + div > p:last-child',
    ),
    'reset starting': resetting('never', BUSY),
    'reset fails': resetting('unavailable', ALERT),
  }) satisfies Record<string, State>;
