import table from '../screens.json' with { type: 'json' };

/**
 * A row of `screens.json`. The router, the build, the server's list of pages (build/pages.rs) and the browser tests are
 * generated from these rows.
 */
interface Screen {
  /** The name of the screen in the gallery and in the names of prerendered files. */
  name: string;
  /** The path below `/account`. The last row has null, because its screen is shown for all unknown URLs. */
  path: string | null;
  /** The file of the component, `src/pages/{page}.tsx`. */
  page: string;
  /** The script that contains the component. Every page loads the script `entry`. */
  chunk: string;
  /** The translation key of the title. */
  title: string;
  /** The translation key of the description for search engines, which ignore a page without description. */
  description?: string | undefined;
  /** Query parameters with the secret of a mailed link, strongest first. The screen has a variant for each. */
  tokens?: readonly string[] | undefined;
  /** Shorter form variants that a region may choose. Each combination with a token is prerendered. */
  forms?: readonly string[] | undefined;
  /** Whether a request with a session cookie gets a prerendered variant that checks the session before the form. */
  session?: boolean | undefined;
  /** Whether the screen needs the list of countries. */
  countries?: boolean | undefined;
  /** Whether the screen is only for signed-in users. */
  signedIn?: boolean | undefined;
  /** An example of the query in links to the screen, for the browser tests. */
  query?: string | undefined;
}

export const SCREENS: readonly Screen[] = table;
