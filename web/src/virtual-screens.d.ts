/** The module that `build/screens.ts` generates from `screens.json`. */
declare module 'virtual:screens' {
  import type { ComponentType } from 'react';
  import type { TextKey } from './i18n/texts';

  interface Page {
    default: ComponentType;
  }
  /** The component of a screen in the entry chunk, or the loader of another screen. */
  export const ROUTES: readonly ({ path: string | null; signedIn: boolean } & (
    | { Component: ComponentType; load?: never; title?: never }
    | { load: () => Promise<Page>; title: TextKey; Component?: never }
  ))[];
}
