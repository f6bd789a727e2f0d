/** The parts of a page that React mounts. `shell` is everything around the screen: header, footer and language menu. */
export type PagePart = 'shell' | 'screen';

declare global {
  interface Window {
    /** The interface of the inline script `early/main.ts`, which is absent with `npm run dev`. */
    early?: {
      mounted(part: PagePart): void;
      /** Returns the response to a GET request that the inline script sent, or undefined once the screen is mounted. */
      response(path: string): Promise<Response> | undefined;
    };
  }
}

/** Called when a part of the page is mounted. Replays the clicks and the submit that happened before hydration. */
export function replayEarlyActions(part: PagePart): void {
  window.early?.mounted(part);
}
