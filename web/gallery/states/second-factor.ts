import {
  ADA,
  ALERT,
  type Answer,
  type Answers,
  after,
  BUSY,
  DONE,
  IN_A_WEEK,
  PASSWORD,
  PENDING_RESET,
  proofRequired,
  RECOVERY_CODES,
  SECURITY,
  type State,
  type Steps,
  SUBMIT,
  WAITING,
} from '../state.ts';

const WRONG = '[aria-invalid="true"]';
const CODE = { code: '123456' };
const DIALOG = 'dialog[open] form';
/** The button "I can’t get a code" of the dialog, and the button that starts the reset. */
const NO_CODE = `${DIALOG} [type="submit"] + button`;
const RESET = 'dialog[open] form > [type="submit"]';

/** An image that looks like a QR code, with three finder patterns and modules in between. */
function sampleQrCode(): string {
  const size = 33;
  const cells: string[] = [];
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const isFree = (x > 7 && x < size - 8) || (y > 7 && (y < size - 8 || x > 7));
      if (isFree && (x * 7 + y * 11 + ((x * y) % 13)) % 3 === 0) cells.push(`M${x} ${y}h1v1h-1z`);
    }
  }
  const finder = (x: number, y: number) =>
    `M${x} ${y}h7v7h-7zM${x + 1} ${y + 1}v5h5v-5zM${x + 2} ${y + 2}h3v3h-3z`;
  const path = [finder(0, 0), finder(size - 7, 0), finder(0, size - 7), ...cells].join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 ${size + 8} ${size + 8}"><path d="${path}"/></svg>`;
}

const authenticator = {
  body: {
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/sample',
    qr_svg: sampleQrCode(),
  },
};
const setUp = (answers: Answers, steps: Steps, shows: string): State => ({
  path: '/account/settings/security/two-step',
  answers: {
    'GET /users/me': { body: ADA },
    'POST /second-factor/totp': authenticator,
    ...answers,
  },
  steps,
  shows,
});
const confirmed = (answer: Answer, shows: string, more: Steps = []) =>
  setUp(
    { 'POST /second-factor/totp/confirm': answer },
    [{ fill: CODE }, { press: SUBMIT }, ...more],
    shows,
  );
const codes = { body: { recovery_codes: RECOVERY_CODES } };

export const twoStepStates = {
  loading: setUp({ 'POST /second-factor/totp': 'never' }, [], WAITING),
  'confirm it is you': setUp({ 'POST /second-factor/totp': proofRequired('password') }, [], DIALOG),
  'load failed': setUp({ 'POST /second-factor/totp': 'offline' }, [], ALERT),
  'already on': setUp(
    { 'POST /second-factor/totp': { status: 409, code: 'second_factor_enabled' } },
    [],
    DONE,
  ),
  'set up': setUp({}, [], SUBMIT),
  'asked for by an application': {
    ...setUp({ 'GET /security': { body: { ...SECURITY, passkeys: 0 } } }, [], SUBMIT),
    signingInTo: 'Couch Wiki',
  },
  'code missing': setUp({}, [{ press: SUBMIT }], WRONG),
  busy: confirmed('never', BUSY),
  'code wrong': confirmed({ status: 401, code: 'code_invalid' }, WRONG),
  'too many tries': confirmed('rate limited', ALERT),
  expired: confirmed('spent', ALERT),
  'recovery codes': confirmed(codes, 'ul code'),
} satisfies Record<string, State>;

const TURN_OFF = '[data-passkeys] + section > button:last-of-type';
const SAVED = 'ul:has(code) + div > div + button';
const NEW_CODES = '[data-passkeys] + section > button:first-of-type';
const CONFIRM = 'dialog[open] button:last-of-type';
const on = (recovery_codes_left: number) => ({
  'GET /security': { body: { ...SECURITY, second_factor: true, recovery_codes_left } },
});
const PROOF = { password: PASSWORD, code: '123456' };

/** The states of the second factor on the security screen. `of` creates a state of the security screen. */
export const secondFactorStates = (
  of: (answers: Answers, steps: Steps, shows: string) => State,
) => {
  const region = (answers: Answers, steps: Steps, shows: string) =>
    of({ ...on(8), ...answers }, steps, shows);
  const proved = (methods: string[], answer: Answer, steps: Steps, shows: string) =>
    region(
      {
        'POST /second-factor/recovery-codes': proofRequired(...methods),
        'POST /reauthenticate': answer,
      },
      [{ press: NEW_CODES }, { press: CONFIRM }, ...steps],
      shows,
    );
  const turningOff = (answer: Answer, shows: string) =>
    region({ 'DELETE /second-factor': answer }, [{ press: TURN_OFF }, { press: CONFIRM }], shows);
  const replaced = (confirmed: Answer, steps: Steps, shows: string) =>
    region(
      {
        'POST /second-factor/recovery-codes': codes,
        'POST /second-factor/recovery-codes/confirm': confirmed,
      },
      [{ press: NEW_CODES }, { press: CONFIRM }, ...steps],
      shows,
    );
  const typed = [{ fill: PROOF }, { press: `${DIALOG} [type="submit"]` }];
  return {
    'two-step loading': of({ 'GET /security': 'never' }, [], WAITING),
    'two-step not loaded': of({ 'GET /security': 'offline' }, [], ALERT),
    'two-step on': region({}, [], TURN_OFF),
    'few recovery codes': region(on(2), [], TURN_OFF),
    'no recovery codes': region(on(0), [], TURN_OFF),
    'turn off?': region({}, [{ press: TURN_OFF }], 'dialog[open]'),
    'turning off': turningOff('never', BUSY),
    'turning off fails': turningOff('unavailable', ALERT),
    'turned off': turningOff('no content', DONE),
    'confirm with a code': proved(['password', 'totp'], 'never', [], DIALOG),
    'confirm by passkey or code': proved(['passkey', 'password', 'totp'], 'never', [], DIALOG),
    'confirm with a code, wrong': proved(['password', 'totp'], 'not proved', typed, ALERT),
    'replace the codes?': region({}, [{ press: NEW_CODES }], 'dialog[open]'),
    'new recovery codes wait': region(
      { 'POST /second-factor/recovery-codes': 'never' },
      [{ press: NEW_CODES }, { press: CONFIRM }],
      BUSY,
    ),
    'new recovery codes': replaced('offline', [], 'ul code'),
    'new recovery codes, saving': replaced('never', [{ press: SAVED }], BUSY),
    'new recovery codes, too late': replaced('spent', [{ press: SAVED }], ALERT),
    'recovery codes replaced': replaced(
      'no content',
      [{ press: SAVED }],
      `[data-passkeys] + section ${DONE}`,
    ),
    'reset pending': region({ 'GET /security': { body: PENDING_RESET } }, [], BANNER),
  } satisfies Record<string, State>;
};

/** The states of the dialog for a proof after "I can’t get a code". `of` creates a state of the security screen. */
export const noCodeStates = (of: (answers: Answers, steps: Steps, shows: string) => State) => {
  const without = (answer: Answer, steps: Steps, shows: string) =>
    of(
      {
        ...on(8),
        'POST /second-factor/recovery-codes': proofRequired('password', 'totp'),
        'POST /second-factor/reset': answer,
      },
      [{ press: NEW_CODES }, { press: CONFIRM }, { press: NO_CODE }, ...steps],
      shows,
    );
  const press = [{ press: RESET }];
  return {
    'no code': without('never', [], RESET),
    'no code, starting': without('never', press, BUSY),
    'no code, sign in again': without(proofRequired('password', 'totp'), press, ALERT),
    'no code, reset requested': without({ body: { at: IN_A_WEEK } }, press, `dialog[open] ${DONE}`),
  } satisfies Record<string, State>;
};

const BANNER = 'nav + section';
/** The states of the banner for a pending reset. `of` creates a state of the screen that shows the banner. */
export const bannerStates = (of: (steps: Steps, answers: Answers, shows: string) => State) => {
  const pending = { 'GET /security': { body: PENDING_RESET } };
  const keep = [{ press: `${BANNER} button` }];
  return {
    'reset pending': of([], pending, BANNER),
    'keep it on?': of(keep, pending, DIALOG),
    'kept on': of(
      [...keep, { fill: PROOF }, { press: `${DIALOG} [type="submit"]` }],
      { ...pending, 'POST /reauthenticate': 'no content' },
      DONE,
    ),
  } satisfies Record<string, State>;
};

const link = '/account/second-factor-reset?token=sample';
const reset = after(link, 'POST /second-factor/reset/confirm', [{ press: 'section > button' }]);

export const secondFactorResetStates = {
  question: { path: link, shows: 'section > button' },
  busy: reset('never', BUSY),
  done: reset({}, DONE),
  requested: {
    path: '/account/second-factor-reset',
    history: { done: { name: 'requested', result: IN_A_WEEK } },
    shows: DONE,
  },
  'invalid link': reset('spent', ALERT),
  'no link': { path: '/account/second-factor-reset', shows: ALERT },
} satisfies Record<string, State>;
