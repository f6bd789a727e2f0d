import { cleanup, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import words from '../../../../locales/en.json';
import { loadPage } from '../../loading/load-page';
import { answer, networkError, ok, refusal } from '../../testing/api';
import { unauthenticated } from '../../testing/responses';
import { openSite, signIn } from '../../testing/site';
// The lazy screen is imported before the tests, so that no test waits for the import.
import './restore';

vi.mock('../../loading/load-page');

const { common, deletion } = words;
const keep = () => screen.findByRole('button', { name: deletion.keep });

test('the mailed link tells the date of the deletion', async () => {
  const details = { change: null, delete_at: '2026-12-10T12:00:00Z' };
  const calls = answer('post', '/undo-credential/details', () => ok(details));
  await openSite('/restore?token=secret');
  expect(await screen.findByText(/^It will be deleted on December 10, 2026\./)).toBeVisible();
  expect(calls.map(({ body }) => body)).toEqual([{ token: 'secret' }]);
});

test('the question stays if the server cannot be reached at first', async () => {
  const calls = answer('post', '/undo-credential/details', networkError);
  await openSite('/restore?token=secret');
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(await keep()).toBeVisible();
});

test('a sign-in refused for a pending deletion opens this screen with its token and date', async () => {
  answer('get', '/users/me', unauthenticated);
  const pending = { delete_at: '2030-05-07T12:00:00Z', restore_token: 'of-sign-in' };
  answer('post', '/login', () => refusal(403, 'deletion_pending', 'Pending.', {}, pending));
  const user = await openSite('/', undefined, false);
  await signIn(user);
  await waitFor(() => expect(loadPage).toHaveBeenCalledOnce());
  const address = new URL(vi.mocked(loadPage).mock.calls[0]?.[0] ?? '', location.href);
  expect(address.pathname).toBe('/account/restore');
  expect(address.searchParams.get('token')).toBe('of-sign-in');
  cleanup();
  await openSite(`/restore${address.search}`);
  expect(await keep()).toBeVisible();
  expect(screen.getByText(/May 7, 2030/)).toBeVisible();
});

test('a link with a made-up date shows none', async () => {
  await openSite('/restore?token=secret&delete_at=soon');
  expect(await keep()).toBeVisible();
  expect(screen.queryByText(/Invalid/)).not.toBeInTheDocument();
});

test('a page with a secret is left by a full load', async () => {
  const user = await openSite('/restore?token=secret&app=wiki');
  await keep();
  await user.click(screen.getByRole('link', { name: common.go_to_sign_in }));
  expect(loadPage).toHaveBeenLastCalledWith('/account/?app=wiki');
  expect(history.state.link).toEqual({ token: 'secret' });
});
