import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ada, answer, config, ok, pendingResponse, refusal } from '../../testing/api';
import { noContent, unauthenticated } from '../../testing/responses';
import { emailAddress, openSite } from '../../testing/site';
import './settings';

test('name and address of the account are shown', async () => {
  answer('get', '/users/me', () => ok(ada));
  await openSite('/settings');
  expect(await screen.findByText('ada1815')).toBeVisible();
  expect(screen.getByText(emailAddress('ada@example.com'))).toBeVisible();
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Account settings');
});

test.each([
  [401, true, 'You were signed out. Sign in to go on.'],
  [403, true, 'You were signed out. Sign in to go on.'],
  [401, false, 'Sign in to go on.'],
])(
  'without a session (%i, once signed in: %s) the sign-in says why',
  async (status, had, notice) => {
    answer('get', '/users/me', () => refusal(status, 'unauthenticated', 'Please sign in first.'));
    await openSite('/settings', config, had);
    await waitFor(() => expect(screen.getByRole('heading', { name: 'Sign in' })).toBeVisible());
    expect(location.pathname).toBe('/account/');
    expect(screen.getByRole('status').textContent).toBe(notice);
    expect(screen.getByRole('status').className).not.toContain('success');
  },
);

test('a failed load is shown and can be retried', async () => {
  answer('get', '/users/me', () => refusal(503, 'unavailable', 'A short break.'));
  const user = await openSite('/settings');
  expect(await screen.findByRole('alert')).toHaveTextContent('Failed to load user data');
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  // The alert was inserted again, so screen readers announce the same message again.
  expect(await screen.findByRole('alert')).toHaveTextContent('Failed to load user data');
  const { response, arrive } = pendingResponse();
  answer('get', '/users/me', () => response);
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Loading…' })).toHaveFocus();
  arrive(ok(ada));
  expect(await screen.findByText('ada1815')).toBeVisible();
  expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
});

test('signing out redirects to the sign-in, which confirms it', async () => {
  const session = answer('get', '/users/me', () => ok(ada));
  const calls = answer('post', '/logout', () => {
    answer('get', '/users/me', unauthenticated);
    return noContent();
  });
  const user = await openSite('/settings');
  await user.click(await screen.findByRole('button', { name: 'Sign Out' }));
  await waitFor(() => expect(location.pathname).toBe('/account/'));
  expect(await screen.findByRole('status')).toHaveTextContent('You’re signed out.');
  expect(calls).toHaveLength(1);
  expect(session).toHaveLength(1);
});

test('a failed sign-out is shown and can be retried', async () => {
  answer('get', '/users/me', () => ok(ada));
  answer('post', '/logout', () => refusal(503, 'unavailable', 'A short break.'));
  const user = await openSite('/settings');
  await user.click(await screen.findByRole('button', { name: 'Sign Out' }));
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'Failed to sign out. Please try again.',
  );
  expect(screen.getByRole('button', { name: 'Sign Out' })).not.toHaveAttribute('aria-disabled');
});
