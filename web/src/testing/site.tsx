import { act, cleanup, render, screen, type within } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { expect } from 'vitest';
import type { Config } from '../api/config';
import { startSessionHint } from '../browser/session-hint';
import { rememberEmail } from '../components/email-field';
import { ConfigProvider } from '../config';
import { App } from '../router';
import { takeLinkTokens } from '../url/link-tokens';
import { config } from './api';

/** Finds the live region of the page, which announces messages that move no focus. */
export const announcer = () => document.querySelector('[aria-live]:not(main *)');

/** Finds the heading of a screen whose mailed link is no longer valid. */
export const spentLink = () =>
  screen.getByRole('heading', { level: 1, name: 'This link no longer works' });

/** Asserts the target of the link with this name on the page, or in a part of it. */
export function expectLink(
  name: string | RegExp,
  href: string,
  part: Pick<ReturnType<typeof within>, 'getByRole'> = screen,
) {
  expect(part.getByRole('link', { name })).toHaveAttribute('href', href);
}

/** Matches an email address, whose parts have elements of their own. */
export const emailAddress = (email: string) => (_text: string, element: Element | null) =>
  element?.localName === 'span' && element.textContent === email;

/** Awaits the button with this name, and asserts that it is inactive, because its request is in progress. */
export async function expectInactive(name: string) {
  expect(await screen.findByRole('button', { name })).toHaveAttribute('aria-disabled', 'true');
}

export function expectActive(name: string) {
  expect(screen.getByRole('button', { name })).not.toHaveAttribute('aria-disabled');
}

/** Renders the app at a path below /account. `session`: whether the browser has a session cookie. */
export async function openSite(
  address: string,
  host: Config = config,
  session = true,
  state: object | null = null,
): Promise<UserEvent> {
  startSessionHint(session);
  history.replaceState(state, '', `/account${address}`);
  takeLinkTokens();
  rememberEmail('');
  await renderSite(host);
  return userEvent.setup();
}

/** Fills in and submits the sign-in form. */
export async function signIn(user: UserEvent, email = 'ada@example.com', password = 'Abcde1') {
  const field = await screen.findByRole('textbox', { name: 'Email' });
  if (email) await user.type(field, email);
  if (password) await user.type(screen.getByLabelText('Password'), password);
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
}

/** Renders the app again with the current history state, as after a page reload. */
export async function reloadSite(): Promise<void> {
  cleanup();
  rememberEmail('');
  await renderSite(config);
}

/** Renders the app and awaits its first screen, whose script is loaded first. */
function renderSite(host: Config): Promise<void> {
  return act(async () => {
    render(
      <ConfigProvider value={host}>
        <App />
      </ConfigProvider>,
    );
  });
}
