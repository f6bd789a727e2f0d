import { render, screen, waitFor } from '@testing-library/react';
import { StrictMode } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { ConfigProvider } from '../../config';
import { App } from '../../router';
import { answer, config, networkError, ok, refusal } from '../../testing/api';
import { expectLink, openSite } from '../../testing/site';
import { takeLinkTokens } from '../../url/link-tokens';
import './change-email';
import '../settings/settings';

const ada = { email: 'ada@new.example', username: 'ada1815' };
const changed = { message: 'ok', email: ada.email };

afterEach(() => vi.useRealTimers());

// Each link has its own token, because a page redeems a token only once.
let links = 0;
const link = () => `/change-email?verificationToken=secret${++links}`;

test('the token is removed from the address bar and verifies the new address', async () => {
  let finish: (response: Response) => void = () => undefined;
  const calls = answer('get', '/confirm-email-change', () => new Promise((d) => (finish = d)));
  await openSite('/change-email?verificationToken=proof&lang=en');
  expect(location.search).toBe('?lang=en');
  expect(
    await screen.findByText('Confirming your new email address...', { selector: 'p' }),
  ).toBeVisible();
  finish(ok(changed));
  const status = await screen.findByRole('status');
  expect(status).toHaveTextContent('Email changed successfully!');
  expect(status).toHaveTextContent('ada@new.example');
  expect(status).toHaveTextContent('Redirecting to settings...');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Email changed');
  expectLink('Back to Settings', '/account/settings');
  expect(calls.map((call) => call.url.searchParams.get('token'))).toEqual(['proof']);
});

test('the token is redeemed once, also if React mounts the screen twice, and not again after back navigation', async () => {
  const calls = answer('get', '/confirm-email-change', () => ok(changed));
  history.replaceState(null, '', `/account${link()}`);
  takeLinkTokens();
  const site = (
    <StrictMode>
      <ConfigProvider value={config}>
        <App />
      </ConfigProvider>
    </StrictMode>
  );
  const { unmount } = render(site);
  await screen.findByRole('status');
  unmount();
  render(site);
  expect(await screen.findByRole('status')).toHaveTextContent(changed.email);
  expect(calls).toHaveLength(1);
});

test('after three seconds the screen redirects to the settings', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  answer('get', '/confirm-email-change', () => ok(changed));
  answer('get', '/users/me', () => ok(ada));
  await openSite(link());
  await screen.findByText(/Redirecting to settings/);
  await vi.advanceTimersByTimeAsync(2900);
  expect(location.pathname).toBe('/account/change-email');
  await vi.advanceTimersByTimeAsync(200);
  await waitFor(() => expect(location.pathname).toBe('/account/settings'));
});

test('without a session the sign-in after the redirect says that the address is changed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  answer('get', '/confirm-email-change', () => ok(changed));
  await openSite(link(), config, false);
  await screen.findByText(/Redirecting to settings/);
  await vi.advanceTimersByTimeAsync(3000);
  await waitFor(() =>
    expect(screen.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible(),
  );
  const status = await screen.findByRole('status');
  expect(status).toHaveTextContent('Email changed successfully!');
  expect(screen.getByLabelText('Email')).toHaveValue(ada.email);
  expect(history.state.page).toBe('/account/settings');
});

test('a link opens the settings at once', async () => {
  answer('get', '/confirm-email-change', () => ok(changed));
  answer('get', '/users/me', () => ok(ada));
  const user = await openSite(link());
  await user.click(await screen.findByRole('link', { name: 'Back to Settings' }));
  await waitFor(() =>
    expect(screen.getByRole('heading', { name: 'Account settings' })).toBeVisible(),
  );
});

test('without a token no request is sent', async () => {
  const calls = answer('get', '/confirm-email-change', () => ok(changed));
  await openSite('/change-email');
  expect(await screen.findByRole('alert')).toHaveTextContent(
    /^Email change failed ?No verification token found$/,
  );
  expect(calls).toHaveLength(0);
});

test.each([
  [400, 'invalid_token', 'That link is spent.', 'That link is spent.'],
  [
    409,
    'account_exists',
    'Account already exists. Try signing in below.',
    'This address already belongs to an account.',
  ],
  [400, 'invalid_token', '', 'Failed to confirm email change'],
])('a refusal (%i) is final: %s', async (status, code, detail, sentence) => {
  answer('get', '/confirm-email-change', () => refusal(status, code, detail));
  await openSite(link());
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('Email change failed');
  expect(alert).toHaveTextContent(sentence);
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(
    code === 'invalid_token' ? 'This link no longer works' : 'Change your email',
  );
  expect(screen.queryByRole('button', { name: 'Try Again' })).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Back to Settings' })).toBeVisible();
});

test('a request that failed in the network can be retried', async () => {
  answer('get', '/confirm-email-change', networkError);
  const user = await openSite(link());
  expect((await screen.findByRole('alert')).textContent).toMatch(/^We can’t reach the server\./);
  answer('get', '/confirm-email-change', () => ok(changed));
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('status')).toHaveTextContent('Email changed successfully!');
  expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
});
