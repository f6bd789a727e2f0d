/** `shell` is what every page has around its screen. */
type Part = 'shell' | 'screen';

declare global {
  interface Window {
    /** The script in the page (`early.js`). `npm run dev` does without. */
    early?: { mounted(part: Part): void };
  }
}

/**
 * This part of the page answers from now on. The buttons of it that were pressed before are pressed now, and the
 * form that was sent before is sent now.
 */
export function replayEarlyActions(part: Part): void {
  window.early?.mounted(part);
}
