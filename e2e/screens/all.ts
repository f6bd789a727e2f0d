import { SCREENS } from '../../web/src/screens.ts';

interface ScreenVariant {
  /** The name of the screen. */
  name: string;
  path: string;
  /** Whether the screen is only for signed-in users. */
  signedIn: boolean;
  /** Whether the screen needs the list of countries and therefore the age check. */
  countries: boolean;
}

/** Every path with its own prerendered page: with and without the token of a mailed link. */
export const SCREEN_VARIANTS: readonly ScreenVariant[] = SCREENS.flatMap((screen) => {
  const { name, path, query, tokens = [], signedIn = false, countries = false } = screen;
  const withToken = tokens.map((token) =>
    [...(query ? [query] : []), `${token}=made-up`].join('&'),
  );
  const queries = ['', ...(query ? [query] : []), ...withToken];
  return queries.map((given) => ({
    name,
    path: `/account${path ?? '/no/such/screen'}${given ? '?' : ''}${given}`,
    signedIn,
    countries,
  }));
});

/** The variants that a visitor without a session can open. */
export const PUBLIC_SCREENS = SCREEN_VARIANTS.filter(({ signedIn }) => !signedIn);

/** The variants that redirect a visitor without a session to the sign-in. */
export const SIGNED_IN_SCREENS = SCREEN_VARIANTS.filter(({ signedIn }) => signedIn);

/** The same path with a language parameter. */
export function inLanguage(path: string, language: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}lang=${language}`;
}
