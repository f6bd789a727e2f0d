import { appParameterOf } from '../app-parameter';
import type { Part } from '../forms/early';

/** The input of a user who is faster than the scripts. */
interface HeldInput {
  /** Repeats what was pressed and submitted in a part of the page that is mounted now. */
  replay(part: Part): void;
  /** The scripts cannot be loaded: from now on, presses and submits lead to the alert. */
  fail(alert: HTMLElement): void;
}

/** Holds presses of buttons, and the submit of the screen's form, until the part that handles them is mounted. */
export function holdInput(): HeldInput {
  const app = appParameterOf(location.search);
  const mounted = new Set<Part>();
  // A map, so that a button is replayed once, however often it was pressed.
  const presses = new Map<HTMLElement, Part>();
  let held: HTMLFormElement | undefined;
  let alert: HTMLElement | undefined;

  function hold(event: MouseEvent) {
    // The target in a shadow root, for the buttons of the header.
    const [target] = event.composedPath() as [Element];
    // The browser itself opens a popover, without any script.
    const button = target.closest?.<HTMLElement>('button[type="button"]:not([popovertarget])');
    if (button && !mounted.has(partOf(button))) {
      presses.set(button, partOf(button));
      if (alert) alert.focus();
      else button.setAttribute('aria-busy', 'true');
    }
    const link = target.closest?.<HTMLAnchorElement>('#content a[href^="/account/"]');
    if (link && app && !mounted.has('screen')) addApp(link, app);
  }

  function holdSubmit(event: SubmitEvent) {
    const form = event.target as HTMLFormElement;
    // A form in the header or footer is not ours.
    if (mounted.has('screen') || partOf(form) !== 'screen') return;
    event.preventDefault();
    if (alert) {
      alert.focus();
      return;
    }
    held = form;
    event.submitter?.setAttribute('aria-busy', 'true');
  }

  // In the capture phase: a handler of the page cannot stop the event before.
  addEventListener('click', hold, true);
  addEventListener('submit', holdSubmit, true);

  return {
    replay(part) {
      mounted.add(part);
      const ready = [...presses.keys()].filter((button) => presses.get(button) === part);
      for (const button of ready) presses.delete(button);
      if (part === 'screen') removeBusy();
      for (const button of ready) {
        button.removeAttribute('aria-busy');
        button.click();
      }
      if (part === 'screen') {
        held?.requestSubmit();
        held = undefined;
      }
    },
    fail(shown) {
      alert = shown;
      removeBusy();
      // Only if the user is waiting for something; otherwise the focus would move without reason.
      if (held || presses.size > 0) alert.focus();
    },
  };
}

function partOf(element: Element): Part {
  return element.closest('#content') ? 'screen' : 'shell';
}

/** Adds `?app=` to a link: the server does not know it, so the prerendered links lack it. */
function addApp(link: HTMLAnchorElement, app: string): void {
  const to = new URL(link.href);
  to.searchParams.set('app', app);
  link.href = to.href;
}

function removeBusy(): void {
  for (const button of document.querySelectorAll('button[aria-busy]'))
    button.removeAttribute('aria-busy');
}
