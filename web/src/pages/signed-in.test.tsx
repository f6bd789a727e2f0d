import { screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import words from '../../../locales/en.json';
import { ada, answer, networkError, ok, pendingResponse, refusal, security } from '../testing/api';
import { OPTIONS, passkey, SIGNAL, stubPasskeys } from '../testing/authenticator';
import { unauthenticated } from '../testing/responses';
import { openSite } from '../testing/site';
// The lazy screens are imported before the tests, so that no test waits for an import.
import './activity/activity';
import './data/data';
import './delete/delete';
import './security/security';
import './settings/settings';

const { about, activity, common, connected_apps, data, devices, second_factor } = words;
const { back, passkey_add, passkey_busy, passkeys_load_failed, remove } = words.security;

const at = '2026-11-20T10:00:00Z';
const event = { id: '1', kind: 'signed_in', at, device: 'Laptop', actor: 'self', details: {} };
const phone = { id: '1', name: 'Phone', first_seen_at: at, last_used_at: at, current: false };
const wiki = { client_id: 'wiki', name: 'Couch Wiki', first_used_at: at, last_used_at: at };

/** The data that the screens of a signed-in user load. */
const LOADED = {
  '/users/me': ada,
  '/security': { ...security, second_factor: true },
  '/activity': { events: [event], next: '1' },
  '/connected-apps': { apps: [wiki] },
  '/devices': { devices: [phone] },
  '/passkeys': { passkeys: [passkey], signal: SIGNAL },
};

beforeEach(() => {
  stubPasskeys();
  for (const [path, body] of Object.entries(LOADED)) answer('get', path, () => ok(body));
  answer('post', '/passkeys/options', () => ok(OPTIONS));
});

async function expectSignIn() {
  await waitFor(() =>
    expect(screen.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible(),
  );
  expect(location.pathname).toBe('/account/');
}

test.each([
  ['/activity', '/activity'],
  ['/settings/data', '/security'],
  ['/delete', '/security'],
  ['/settings/security', '/passkeys'],
])('%s redirects to the sign-in if %s says that there is no session', async (address, path) => {
  answer('get', path, unauthenticated);
  await openSite(address);
  await expectSignIn();
});

/** Every request of a button: screen, request, label of the busy button, and the buttons that the user presses. */
const BUTTONS = [
  ['/activity', 'get', '/activity', common.loading, activity.more],
  [
    '/activity',
    'post',
    '/activity/1/not-me',
    common.loading,
    'That wasn’t me: Laptop',
    activity.not_me_submit,
  ],
  ['/settings/data', 'get', '/data-export', data.download_busy, data.download_button],
  ['/settings', 'get', '/profile', common.loading, about.show],
  ['/settings', 'post', '/devices/sign-out', devices.busy, 'Sign out Phone'],
  ['/settings', 'post', '/passkeys/options', passkey_busy, passkey_add],
  ['/settings/security', 'post', '/passkeys/options', passkey_busy, passkey_add],
  ['/settings/security', 'post', '/passkeys', passkey_busy, passkey_add],
  ['/settings/security', 'delete', '/passkeys/1', common.loading, 'Remove iCloud Keychain', remove],
] as const;

test.each(BUTTONS)(
  '%s: %s %s is sent once, and an ended session redirects to the sign-in',
  async (...row) => {
    const [address, method, path, busy, first, confirmation] = row;
    const user = await openSite(address);
    const opener = await screen.findByRole('button', { name: first });
    // The session ends after the screen has loaded its data.
    const request = pendingResponse();
    const calls = answer(method, path, () => request.response);
    const sessions = answer('get', '/users/me', unauthenticated);
    await user.click(opener);
    if (confirmation) await user.click(screen.getByRole('button', { name: confirmation }));
    const button = await screen.findByRole('button', { name: busy });
    expect(button).toHaveAttribute('aria-disabled', 'true');
    // The browser returns the focus from a confirmation to the button, but jsdom does not.
    if (!confirmation) expect(button).toHaveFocus();
    await user.click(button);
    await waitFor(() => expect(calls).toHaveLength(1));
    request.arrive(unauthenticated());
    await expectSignIn();
    expect(calls).toHaveLength(1);
    // The sign-in screen does not request the session, because the session is known to have ended.
    expect(sessions).toHaveLength(0);
  },
);

/** Every list: screen, request, error message, a text beside the list, and a text in the list. */
const LISTS = [
  ['/activity', '/activity', activity.load_failed, back, activity.signed_in],
  ['/settings', '/devices', devices.load_failed, 'ada1815', phone.name],
  ['/settings/security', '/connected-apps', connected_apps.load_failed, passkey.name, wiki.name],
  ['/settings/security', '/passkeys', passkeys_load_failed, wiki.name, passkey.name],
  ['/settings/security', '/security', second_factor.load_failed, wiki.name, second_factor.on],
] as const;

describe.each([
  ['refused', () => refusal(503, 'unavailable', 'A short break.')],
  ['offline', networkError],
])('a list that is %s', (_, fail) => {
  test.each(LISTS)('%s: the list %s can be loaded again', async (...row) => {
    const [address, path, sentence, neighbour, text] = row;
    answer('get', path, fail);
    const user = await openSite(address);
    expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
    expect(await screen.findByText(neighbour)).toBeVisible();
    expect(screen.queryByText(text)).not.toBeInTheDocument();
    answer('get', path, () => ok(LOADED[path]));
    await user.click(screen.getByRole('button', { name: common.try_again }));
    expect(await screen.findByText(text)).toBeVisible();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });
});
