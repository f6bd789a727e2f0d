import type { PagePart } from '../forms/early';
import { appParameterOf } from '../url/app-parameter';

/** Clicks and a form submit that happened before the scripts have run. */
interface HeldInput {
  /** Replays the held clicks and submit of a part of the page. Called when that part is mounted. */
  replay(part: PagePart): void;
  /** Moves the focus to the alert at each further click or submit, because the scripts cannot be loaded. */
  fail(alert: HTMLElement): void;
}

/** Holds clicks on buttons and the submit of the screen's form until React has mounted their part of the page. */
export function holdInput(): HeldInput {
  const app = appParameterOf(location.search);
  const mounted = new Set<PagePart>();
  // The map has one entry per button, so that several clicks on a button are replayed as one click.
  const presses = new Map<HTMLElement, PagePart>();
  let heldForm: HTMLFormElement | undefined;
  let alert: HTMLElement | undefined;

  function hold(event: MouseEvent) {
    // The buttons of the header are in a shadow root, so the first element of the composed path is the target.
    const [target] = event.composedPath() as [Element];
    // A button that opens a popover is not held, because the browser opens the popover without a script.
    const button = target.closest?.<HTMLElement>('button[type="button"]:not([popovertarget])');
    if (button && !mounted.has(partOf(button))) {
      presses.set(button, partOf(button));
      if (alert) alert.focus();
      else button.setAttribute('aria-busy', 'true');
    }
    const link = target.closest?.<HTMLAnchorElement>('#content a[href^="/account/"]');
    if (link && app && !mounted.has('screen')) addAppParameter(link, app);
  }

  function holdSubmit(event: SubmitEvent) {
    const form = event.target as HTMLFormElement;
    // Only the form of the screen is held, because third-party HTML in the header or footer may contain other forms.
    if (mounted.has('screen') || partOf(form) !== 'screen') return;
    event.preventDefault();
    if (alert) {
      alert.focus();
      return;
    }
    heldForm = form;
    event.submitter?.setAttribute('aria-busy', 'true');
  }

  // The listeners run in the capture phase, so that no other handler stops the event earlier.
  addEventListener('click', hold, true);
  addEventListener('submit', holdSubmit, true);

  return {
    replay(part) {
      mounted.add(part);
      if (part === 'screen') removeBusyState();
      for (const [button, itsPart] of presses) {
        if (itsPart !== part) continue;
        presses.delete(button);
        button.removeAttribute('aria-busy');
        button.click();
      }
      if (part === 'screen') {
        heldForm?.requestSubmit();
        heldForm = undefined;
      }
    },
    fail(shown) {
      alert = shown;
      removeBusyState();
      // The focus moves to the alert only if the user has clicked a button or submitted the form.
      if (heldForm || presses.size > 0) alert.focus();
    },
  };
}

function partOf(element: Element): PagePart {
  return element.closest('#content') ? 'screen' : 'shell';
}

/** Adds the parameter `?app=` of the page to a link, because prerendered links lack this parameter. */
function addAppParameter(link: HTMLAnchorElement, app: string): void {
  const to = new URL(link.href);
  to.searchParams.set('app', app);
  link.href = to.href;
}

function removeBusyState(): void {
  for (const button of document.querySelectorAll('button[aria-busy]'))
    button.removeAttribute('aria-busy');
}
