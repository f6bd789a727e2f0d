/** The response of a fake server: a response, none at all (`never`), or a network error (`offline`). */
export type Answer =
  | 'never'
  | 'offline'
  | { status?: number; body?: object; headers?: Readonly<Record<string, string>> }
  /** An error by its API code; the message comes from the page's translations. */
  | {
      status: number;
      code: string;
      fields?: Readonly<Record<string, string>>;
      body?: object;
      headers?: Readonly<Record<string, string>>;
    };

/** A user action. Elements are given by CSS selector, fields by name. */
export type Step =
  | { fill: Readonly<Record<string, string>> }
  | { press: string }
  | { wait: string };

/** A screen in one of its states. */
export interface State {
  /** The path, with the query of a mailed link. */
  path: string;
  /** By method and path below the API. Without `GET /users/me` there is no session. */
  answers?: Readonly<Record<string, Answer>>;
  /** The `history.state` of the visit, for example after a sign-out. */
  history?: object;
  /** The completion form of the region. */
  form?: 'short';
  steps?: readonly Step[];
  /** CSS selector of an element that is present when the state is reached. Default: the heading. */
  shows?: string;
}

export const DAY = 24 * 60 * 60 * 1000;
export const NOW = Date.now();

export const ADA = { email: 'ada@example.com', username: 'AdaOnTheCouch' };
export const PASSWORD = 'Sunny-Couch-42';
export const ALERT = '[role="alert"]';
export const DONE = '[role="status"]';
export const SUBMIT = 'main form [type="submit"]';
/** A button whose request is in progress. */
export const BUSY = 'button[aria-disabled="true"]';
