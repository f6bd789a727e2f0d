/** What a fake server says: an answer, nothing at all, or that it cannot be reached. */
export type Answer =
  | 'never'
  | 'offline'
  | { status?: number; body?: object; headers?: Readonly<Record<string, string>> }
  /** A refusal by the codes of the API; its sentences come from the words of the page. */
  | {
      status: number;
      code: string;
      fields?: Readonly<Record<string, string>>;
      body?: object;
      headers?: Readonly<Record<string, string>>;
    };

/** What a visitor does. Elements are named by CSS selector, fields by their name. */
export type Step =
  | { fill: Readonly<Record<string, string>> }
  | { press: string }
  | { wait: string };

/** A screen in one of its states. */
export interface State {
  /** The address, with what a mailed link would carry. */
  path: string;
  /** By method and path below the API. Nobody is signed in unless it says so. */
  answers?: Readonly<Record<string, Answer>>;
  /** What history keeps for the visit, such as that somebody has just signed out. */
  history?: object;
  /** The completion form of the region. */
  form?: 'short';
  steps?: readonly Step[];
  /** What is on the screen once the state is reached; the heading alone where it is not given. */
  shows?: string;
}

export const DAY = 24 * 60 * 60 * 1000;
export const NOW = Date.now();

export const ADA = { email: 'ada@example.com', username: 'AdaOnTheCouch' };
export const PASSWORD = 'Sunny-Couch-42';
export const ALERT = '[role="alert"]';
export const DONE = '[role="status"]';
export const SUBMIT = 'main form [type="submit"]';
/** What is under way has a sign that turns, in its button. */
export const BUSY = 'button[aria-disabled="true"]';
