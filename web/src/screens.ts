import table from '../screens.json' with { type: 'json' };

/**
 * A row of `screens.json`. The router, the build, the list of pages in the server (build/pages.rs) and the browser
 * tests are made from these rows.
 */
interface Screen {
  /** The name of its gallery states and of its prerendered files. */
  name: string;
  /** The path below `/account`. Null: the screen of all other URLs, which is the last row. */
  path: string | null;
  /** The file of its component, `src/pages/{page}.tsx`, in a folder of its own. */
  page: string;
  /** The script that contains it; `entry` is loaded by every page. */
  chunk: string;
  /** The key of its title. */
  title: string;
  /** The key of its description for search engines. Absent: excluded from them. */
  description?: string | undefined;
  /** Query parameters with the secret of a mailed link, the strongest first. Each is prerendered separately. */
  tokens?: readonly string[] | undefined;
  /** Shorter forms that a region may choose. Each is prerendered separately, with each token. */
  forms?: readonly string[] | undefined;
  /** Prerendered separately with a session cookie: the screen checks the session before it shows its form. */
  session?: boolean | undefined;
  /** Whether it needs the list of countries. */
  countries?: boolean | undefined;
  /** Only for signed-in users. */
  signedIn?: boolean | undefined;
  /** A query that links to the screen may have, for the browser tests. */
  query?: string | undefined;
}

export const SCREENS: readonly Screen[] = table;
