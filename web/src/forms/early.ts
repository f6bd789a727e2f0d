/** The parts of a page. `shell` is the header, the footer and the language menu around the screen. */
export type PagePart = 'shell' | 'screen';

declare global {
  interface Window {
    /** The interface of the inline script `early/main.ts`, which is missing if `npm run dev` serves the page. */
    early?: {
      mounted(part: PagePart): void;
      /** Returns the response to a GET that was sent before the scripts were loaded, until the screen is mounted. */
      response(path: string): Promise<Response> | undefined;
    };
  }
}

/** Marks a part of the page as hydrated, and replays the clicks and the submit that happened before hydration. */
export function replayEarlyActions(part: PagePart): void {
  window.early?.mounted(part);
}
