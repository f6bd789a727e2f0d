import { type Story, storyOf } from './gallery.ts';

/** Where the focus is in a state: screen, state, CSS selector. */
const FOCUS = [
  // finding: B5. While the request is in progress, the focus stays on the submit button.
  ['sign-in', 'busy', 'form [type="submit"]'],
  ['sign-up', 'busy', 'form [type="submit"]'],
  ['request-password', 'busy', 'form [type="submit"]'],
  ['reset-password', 'busy', 'form [type="submit"]'],
  ['migration', 'busy', 'form [type="submit"]'],
  ['migration', 'second step, busy', 'form [type="submit"]'],
  ['completion', 'busy', 'form [type="submit"]'],
  ['settings', 'email busy', 'form [type="submit"]'],
  ['settings', 'sign-out busy', 'button[aria-disabled]'],
  ['change-email', 'undo, busy', 'section > button'],
  ['unsubscribe', 'busy', 'section > button'],
  ['verify-email', 'was this you? busy', 'dl ~ button'],
  ['sign-up', 'offline', '[role="alert"]'],
  ['completion', 'offline', '[role="alert"]'],
  ['verify-email', 'was this you? failed', '[role="alert"]'],
  ['sign-in', 'failed', '[role="alert"]'],
  ['sign-in', 'too many devices', '[role="alert"]'],
  ['sign-in', 'a device made room', 'form [type="submit"]'],
  ['sign-in', 'language menu', '[role="menuitemradio"][aria-checked="true"]'],
  ['sign-up', 'errors', '[name="email"]'],
  ['sign-up', 'name taken', '[name="username"]'],
  ['sign-up', 'under age', '[name="day"]'],
  ['sign-up', 'done', 'h1'],
  ['request-password', 'wrong', '[name="email"]'],
  ['request-password', 'offline', '[role="alert"]'],
  ['request-password', 'sent', 'h1'],
  ['reset-password', 'wrong', '[name="confirm_password"]'],
  ['reset-password', 'link spent', '[role="alert"]'],
  ['reset-password', 'done', 'h1'],
  ['migration', 'wrong', '[name="email"]'],
  ['migration', 'sent', 'h1'],
  ['migration', 'second step, link spent', '[role="alert"]'],
  ['migration', 'done', 'h1'],
  ['completion', 'errors', '[name="first_name"]'],
  ['completion', 'link spent', '[role="alert"]'],
  ['completion', 'done', 'h1'],
  ['settings', 'email form', 'form [name="email"]'],
  ['settings', 'email wrong', 'form [name="email"]'],
  ['settings', 'email saved', 'dl > div:nth-of-type(2) button'],
  ['settings', 'password form', '[name="current_password"]'],
  ['settings', 'password wrong', '[role="alert"]'],
  ['settings', 'password saved', 'dl > div:nth-of-type(3) button'],
  ['settings', 'device signed out', 'section section h2'],
  ['change-email', 'undo, failed', '[role="alert"]'],
  ['change-email', 'undo, done', 'h1'],
  ['unsubscribe', 'failed', '[role="alert"]'],
  ['unsubscribe', 'done', 'h1'],
] as const;

const selectors = new Map<Story, string>(
  FOCUS.map(([screen, name, selector]) => [storyOf(screen, name), selector]),
);

/** The selector of the element that has the focus in this state; undefined if the state has no fixed one. */
export function focusOf(story: Story): string | undefined {
  return selectors.get(story);
}
