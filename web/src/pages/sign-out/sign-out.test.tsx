import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import words from '../../../../locales/en.json';
import { loadPage } from '../../loading/load-page';
import { ada, answer, config, ok, refusal } from '../../testing/api';
import { noContent, unauthenticated } from '../../testing/responses';
import { openSite } from '../../testing/site';
import '../settings/settings';
import './sign-out';

vi.mock('../../loading/load-page');
beforeEach(() => vi.mocked(loadPage).mockClear());

const { sign_out, sign_in } = words;

const host = { ...config, passkeys: { enabled: false, offer: false } };

async function open(query = '') {
  const user = await openSite(`/sign-out${query}`, host);
  return (name: string) => user.click(screen.getByRole('button', { name }));
}

// Without `post_logout_redirect_uri` there is no URL to return to. `client_id` only selects the brand.
test.each(['', '?client_id=wiki'])(
  '"Sign out" ends the session and redirects to the sign-in, %j',
  async (query) => {
    const calls = answer('post', '/logout', noContent);
    const press = await open(query);
    await press(sign_out.submit);
    expect(await screen.findByText(sign_in.signed_out)).toBeVisible();
    // A reload or a return does not show the notice again.
    expect(history.state).not.toHaveProperty('signedOut');
    expect(calls).toHaveLength(1);
    expect(loadPage).not.toHaveBeenCalled();
  },
);

test('the endpoint of applications passes on that the person is signed out', async () => {
  answer('get', '/users/me', unauthenticated);
  await openSite('/?signed_out=1&app=wiki', host, false);
  expect(screen.getByRole('status')).toHaveTextContent(sign_in.signed_out);
  // A reload does not show the notice again.
  expect(location.search).toBe('?app=wiki');
});

test('the sign-out of an application continues at its endpoint', async () => {
  answer('post', '/logout', noContent);
  const query =
    '?client_id=wiki&post_logout_redirect_uri=https%3A%2F%2Fwiki.example%2F&state=a%26b';
  const press = await open(query);
  await press(sign_out.submit);
  const address = `/account/oidc/logout${query}`;
  await waitFor(() => expect(loadPage).toHaveBeenCalledExactlyOnceWith(address));
});

test('nothing happens before the confirmation, and "Stay signed in" keeps the session', async () => {
  const calls = answer('post', '/logout', noContent);
  answer('get', '/users/me', () => ok(ada));
  await open();
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(sign_out.title);
  expect(calls).toHaveLength(0);
  // The render is awaited, because a screen first loads its module.
  await act(async () => {
    fireEvent.click(screen.getByRole('button', { name: sign_out.stay }));
  });
  await waitFor(() =>
    expect(screen.getByRole('heading', { name: 'Account settings' })).toBeVisible(),
  );
  expect(calls).toHaveLength(0);
});

test('a failure is shown, and the question stays', async () => {
  answer('post', '/logout', () => refusal(503, 'unavailable', 'In a moment.'));
  const press = await open();
  await press(sign_out.submit);
  expect(await screen.findByRole('alert')).toBeVisible();
  expect(screen.getByRole('button', { name: sign_out.submit })).toBeEnabled();
});
