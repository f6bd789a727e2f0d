/** The answer of the fake server: a response, no answer (`never`), or a network error (`offline`). */
export type Answer = 'never' | 'offline' | keyof typeof COMMON_ANSWERS | CustomAnswer;

/** Responses that many states have. `spent` is for a link or a token that was used or has expired. */
export const COMMON_ANSWERS = {
  'no content': { status: 204 },
  'rate limited': { status: 429, code: 'rate_limited', headers: { 'Retry-After': '300' } },
  spent: { status: 400, code: 'invalid_token' },
  'not proved': { status: 401, code: 'reauthentication_failed' },
  unavailable: { status: 503, code: 'unavailable' },
} as const satisfies Record<string, CustomAnswer>;

type CustomAnswer =
  | { status?: number; body?: object; headers?: Readonly<Record<string, string>> }
  /** The error code of an error response. The message comes from the page's translations. */
  | {
      status: number;
      code: string;
      fields?: Readonly<Record<string, string>>;
      body?: object;
      headers?: Readonly<Record<string, string>>;
    };

/** A user action. A CSS selector identifies an element, and a name identifies a field. */
export type Step =
  | { fill: Readonly<Record<string, string>> }
  | { press: string }
  | { wait: string };

/** A state of a screen in the gallery. */
export interface State {
  /** The path of the screen. The path of a mailed link includes its query. */
  path: string;
  /** The responses by method and path below the API. If `GET /users/me` is absent, there is no session. */
  answers?: Readonly<Record<string, Answer>>;
  /** The `history.state` when the screen is opened, for example after a sign-out. */
  history?: object;
  /** The variant of the completion form that the region uses. */
  form?: 'short';
  /** The name of the application that requested the sign-in. */
  signingInTo?: string;
  steps?: readonly Step[];
  /** CSS selector of an element that is present when the state is reached. The default is the heading. */
  shows?: string;
}

export type Answers = NonNullable<State['answers']>;
export type Steps = NonNullable<State['steps']>;

/** Creates states of a screen from the response to one call. `base` contains the responses to the other calls. */
export const after =
  (path: string, call: string, steps: Steps = [], base: Answers = {}) =>
  (answer: Answer, shows: string): State => ({
    path,
    answers: { ...base, [call]: answer },
    steps,
    shows,
  });

/** The refusal that asks for another proof of identity by one of the methods. */
export const proofRequired = (...methods: string[]): Answer => ({
  status: 403,
  code: 'reauthentication_required',
  body: { methods },
});

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.now();
/** Returns the time some days ago (RFC 3339). */
export const ago = (days: number) => new Date(NOW - days * DAY).toISOString();

export const ADA = { email: 'ada@example.com', username: 'AdaOnTheCouch' };
export const PASSWORD = 'Sunny-Couch-42';
export const ALERT = '[role="alert"]';
export const DONE = '[role="status"]';
export const WAITING = 'section [class*="loading"]';
export const SUBMIT = 'main form [type="submit"]';
/** A button whose request is in progress. */
export const BUSY = 'button[aria-disabled="true"]';

/** The passkeys that the screen reports to the browser by the WebAuthn signal methods. */
export const PASSKEY_SIGNAL = {
  rpId: 'localhost',
  userId: 'AAAA',
  allAcceptedCredentialIds: [],
  name: ADA.email,
  displayName: ADA.username,
};
export const PASSKEY = {
  id: '1',
  name: 'iCloud Keychain',
  provider: 'iCloud Keychain',
  synced: true,
  created_at: ago(60),
  last_used_at: ago(2),
  this_site: true,
  site: 'localhost',
};
/** The options for a new passkey, with only the members that the browser requires. */
export const NEW_PASSKEY = {
  state: 'sample',
  publicKey: {
    rp: { id: 'localhost', name: 'localhost' },
    user: { id: 'AAAA', name: ADA.email, displayName: ADA.username },
    challenge: 'AAAA',
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  },
};

/** The response of `GET /security` for an account without a second factor. */
export const SECURITY = {
  aal: 1,
  passkeys: 1,
  passkey_on_this_site: true,
  marketing_consent: false,
  second_factor: false,
  recovery_codes_left: 0,
  second_factor_reset_at: null,
};
export const IN_A_WEEK = ago(-7);
/** The response of `GET /security` while a reset of the second factor is pending. */
export const PENDING_RESET = {
  ...SECURITY,
  second_factor: true,
  recovery_codes_left: 10,
  second_factor_reset_at: IN_A_WEEK,
};
export const RECOVERY_CODES = `7K3M-Q2XW-9R4T-HB5C N8VD-0JYE-6FZA-1SPG W4HQ-XT93-K7CM-5BRD
  2ZEP-8GNV-JF0Y-A6S1 C9XR-M5TK-4WQ7-HD3B Y0FJ-1AVS-E8ZG-6PN2 T3KC-7BWM-Q5HR-9X4D
  G6ZN-P2EY-S1JA-F8V0 H5DR-4XQ9-B7TW-3MKC V1SP-0GJF-N6EZ-8Y2A`.split(/\s+/);

/** A device that was signed in and used some days ago. */
export const device = (id: string, name: string, signedIn: number, used: number) => ({
  id,
  name,
  first_seen_at: ago(signedIn),
  last_used_at: ago(used),
});
