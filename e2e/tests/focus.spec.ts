import { expect, test } from '../fixtures.ts';
import { storyOf, visit } from '../screens/gallery.ts';

/** The focused element of each state, by CSS selector. */
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

test.use({ guarded: false });

for (const [screen, name, selector] of FOCUS) {
  test(`the focus after "${screen}: ${name}" is where one goes on`, async ({ page }) => {
    await visit(page, storyOf(screen, name));
    const place = page.locator(`main ${selector}`).first();
    await expect(place).toBeFocused();
    // finding: U2
    await expect(place).toBeInViewport();
  });
}
