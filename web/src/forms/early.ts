/** `shell`: header, footer and language menu around the screen. */
export type Part = 'shell' | 'screen';

declare global {
  interface Window {
    /** The inline script `early/main.ts`. Absent with `npm run dev`. */
    early?: { mounted(part: Part): void };
  }
}

/** Marks a part of the page as hydrated, and replays the clicks and the submit that happened before. */
export function replayEarlyActions(part: Part): void {
  window.early?.mounted(part);
}
