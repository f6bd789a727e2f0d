declare global {
  interface Window {
    /** The script in the page (`early.js`). `npm run dev` does without. */
    early?: {
      /** The address that was opened, with the secret of a mailed link. */
      opened: string;
      started(): void;
      ready(form: HTMLFormElement): void;
    };
  }
}

/** From now on the form is ours. What somebody sent before is sent now, as if they had waited. */
export function takeOver(form: HTMLFormElement): void {
  window.early?.ready(form);
}

/** The screen answers from now on. A button that somebody pressed before is pressed now. */
export function answerPresses(): void {
  window.early?.started();
}
