import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { ada, answer, ok, refusal, security } from '../../testing/api';
import { noContent } from '../../testing/responses';
import { openSite } from '../../testing/site';
// The lazy screens are imported in advance, so that no test waits for an import.
import '../../pages/activity/activity';
import '../../pages/data/data';
import '../../pages/security/security';
import '../../pages/settings/settings';
import '../reauthentication/reauthentication-dialog';

const TITLE = 'Someone asked to turn off two-step verification';
const pending = {
  ...security,
  second_factor: true,
  recovery_codes_left: 10,
  second_factor_reset_at: '2027-05-04T12:00:00Z',
};

beforeEach(() => {
  answer('get', '/users/me', () => ok(ada));
  answer('get', '/activity', () => ok({ events: [], next: null }));
  answer('get', '/passkeys', () => ok({ passkeys: [], signal: {} }));
  answer('get', '/security', () => ok(pending));
});

test.each(['/settings', '/settings/security', '/settings/data', '/activity'])(
  '%s warns of a pending reset',
  async (path) => {
    await openSite(path);
    const banner = await screen.findByRole('region', { name: TITLE });
    expect(banner).toHaveTextContent('from May 4, 2027 on');
    expect(within(banner).getByRole('button', { name: 'Keep it on' })).toBeVisible();
  },
);

test('a reauthentication with a code cancels the reset', async () => {
  const proofs = answer('post', '/reauthenticate', noContent);
  const user = await openSite('/settings');
  await user.click(await screen.findByRole('button', { name: 'Keep it on' }));
  const dialog = await screen.findByRole('dialog', { name: 'Confirm it’s you' });
  expect(dialog).toHaveTextContent('Then everything stays as it is.');
  await user.type(within(dialog).getByLabelText('Password'), 'Abcde1');
  answer('get', '/security', () => ok({ ...pending, second_factor_reset_at: null }));
  await user.type(within(dialog).getByRole('textbox', { name: 'Code' }), '123456{Enter}');
  const status = await screen.findByRole('status');
  expect(status).toHaveTextContent('Everything stays as it is.');
  await waitFor(() => expect(status.parentElement).toHaveFocus());
  expect(screen.queryByRole('region', { name: TITLE })).not.toBeInTheDocument();
  expect(proofs).toHaveLength(1);
});

test.each([
  [{ second_factor: false, passkeys: 1 }, false],
  [{ second_factor: true, passkeys: 0 }, true],
])('the proof that cancels the reset fits the account (%o)', async (factors, withPassword) => {
  answer('get', '/security', () => ok({ ...pending, ...factors }));
  const user = await openSite('/settings');
  await user.click(await screen.findByRole('button', { name: 'Keep it on' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Confirm it’s you' }));
  expect(dialog.queryByLabelText('Password') !== null).toBe(withPassword);
});

test('closing the dialog keeps the reset pending', async () => {
  const user = await openSite('/settings');
  await user.click(await screen.findByRole('button', { name: 'Keep it on' }));
  await screen.findByRole('dialog', { name: 'Confirm it’s you' });
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.getByRole('region', { name: TITLE })).toBeVisible();
});

test('without a pending reset, or if it is unknown, no banner is shown', async () => {
  const calls = answer('get', '/security', () => refusal(503, 'unavailable', 'A short break.'));
  await openSite('/settings');
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(screen.queryByRole('region', { name: TITLE })).not.toBeInTheDocument();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});
