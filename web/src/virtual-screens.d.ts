/** The virtual module that the build generates from `screens.json` (`build/screens.ts`). */
declare module 'virtual:screens' {
  import type { ComponentType } from 'react';
  import type { TextKey } from './i18n/texts';

  interface Page {
    default: ComponentType;
  }
  /** Each route has its component if the entry script contains it, otherwise a function that loads it. */
  export const ROUTES: readonly ({ path: string | null; signedIn: boolean } & (
    | { Component: ComponentType; load?: never; title?: never }
    | { load: () => Promise<Page>; title: TextKey; Component?: never }
  ))[];
}
