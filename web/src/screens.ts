import table from '../screens.json' with { type: 'json' };

/**
 * A row of `screens.json`, from which the router, the build, the server's list of pages (build/pages.rs) and the
 * browser tests are generated.
 */
interface Screen {
  /** The name of the screen in the gallery and in the file names of prerendered screens. */
  name: string;
  /** The path below `/account`. Null for the screen of unknown URLs, which must be the last row. */
  path: string | null;
  /** The file of the component, `src/pages/{page}.tsx`. */
  page: string;
  /** The name of the script with the component. The script `entry` is loaded on every page. */
  chunk: string;
  /** The translation key of the title. */
  title: string;
  /** The translation key of the description for search engines. Without a description, the page has `noindex`. */
  description?: string | undefined;
  /** The query parameters for the secret of a mailed link, in order of precedence. Each gets a prerendered variant. */
  tokens?: readonly string[] | undefined;
  /** The variants of the form that a region may choose instead of the full form, prerendered for each token. */
  forms?: readonly string[] | undefined;
  /** Whether the screen is also prerendered for requests with a session cookie, as it first checks the session. */
  session?: boolean | undefined;
  /** Whether the screen shows the list of countries. */
  countries?: boolean | undefined;
  /** Whether the screen is only for signed-in users. */
  signedIn?: boolean | undefined;
  /** A sample query for the URL of the screen in browser tests. */
  query?: string | undefined;
}

export const SCREENS: readonly Screen[] = table;
