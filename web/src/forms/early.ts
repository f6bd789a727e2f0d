/** `shell`: header, footer and language menu around the screen. */
export type PagePart = 'shell' | 'screen';

declare global {
  interface Window {
    /** The inline script `early/main.ts`. Absent with `npm run dev`. */
    early?: { mounted(part: PagePart): void };
  }
}

/** Marks a part of the page as hydrated, and replays the clicks and the submit that happened before. */
export function replayEarlyActions(part: PagePart): void {
  window.early?.mounted(part);
}
