import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { loadPage } from '../../loading/load-page';
import { ada, answer, ok, refusal } from '../../testing/api';
import { noContent } from '../../testing/responses';
import { openSite, signIn } from '../../testing/site';

vi.mock('../../loading/load-page');

const HOUR = 60 * 60 * 1000;
const laptop = {
  id: '01933f2e-0000-7000-8000-000000000001',
  name: 'Firefox · Windows',
  first_seen_at: '2026-01-02T03:04:05Z',
  last_used_at: new Date(Date.now() - 2.5 * HOUR).toISOString(),
};
const phone = {
  id: '01933f2e-0000-7000-8000-000000000002',
  name: 'Safari · iPhone',
  first_seen_at: '2026-01-02T03:04:05Z',
  last_used_at: new Date(Date.now() - 30 * HOUR).toISOString(),
};

const full = { devices: [laptop, phone], device_token: 'word' };

beforeEach(() => {
  answer('post', '/login', () => refusal(403, 'too_many_devices', 'Too many devices.', {}, full));
});

async function open() {
  const user = await openSite('/');
  await signIn(user);
  await screen.findByRole('heading', { name: 'You’re signed in on these devices' });
  return user;
}

function signOutOf(name: string): HTMLElement {
  const entry = screen.getByText(name).closest('li') as HTMLElement;
  return within(entry).getByRole('button', { name: `Sign out ${name}` });
}

test('at the device limit the devices are listed, each with a sign-out button', async () => {
  await open();
  const status = screen.getByRole('status');
  expect(status).toHaveTextContent('Too many devices.');
  expect(status.parentElement).toHaveFocus();
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
  expect(signOutOf('Firefox · Windows')).toBeVisible();
  expect(screen.getByText('Firefox · Windows').closest('li')).toHaveTextContent('2 hours ago');
  expect(screen.getByText('Safari · iPhone').closest('li')).toHaveTextContent('yesterday');
});

test('without a list of devices the message stands alone', async () => {
  answer('post', '/login', () => refusal(403, 'too_many_devices', 'Too many devices.'));
  await signIn(await openSite('/'));
  expect(await screen.findByText('Too many devices.')).toBeVisible();
  expect(screen.queryByRole('heading', { level: 2, name: /devices/ })).not.toBeInTheDocument();
});

test('signing one device out makes the form ready to be sent again', async () => {
  const calls = answer('post', '/devices/sign-out', noContent);
  const user = await open();
  await user.click(signOutOf('Safari · iPhone'));
  expect(await screen.findByRole('status')).toHaveTextContent(
    'Safari · iPhone has been signed out. You can sign in here now.',
  );
  expect(calls.map((call) => call.body)).toEqual([{ id: phone.id, token: 'word' }]);
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(screen.queryByRole('list')).not.toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Email' })).toHaveValue('ada@example.com');
  expect(screen.getByLabelText('Password')).toHaveValue('Abcde1');
  expect(screen.getByRole('button', { name: 'Sign in' })).toHaveFocus();

  const login = answer('post', '/login', () => ok(ada));
  await user.keyboard('{Enter}');
  expect(await screen.findByText('Signed in. Off we go…')).toBeVisible();
  expect(loadPage).toHaveBeenCalledWith('/');
  expect(login).toHaveLength(1);
});

test('a device that cannot be signed out stays in the list with the reason', async () => {
  answer('post', '/devices/sign-out', () => refusal(503, 'unavailable', 'A short break.'));
  const user = await open();
  await user.click(signOutOf('Safari · iPhone'));
  expect(await screen.findByText('A short break.')).toBeVisible();
  expect(signOutOf('Safari · iPhone')).not.toHaveAttribute('aria-disabled');
});

test('an expired device list is removed', async () => {
  answer('post', '/devices/sign-out', () => refusal(400, 'invalid_token', 'That link is spent.'));
  const user = await open();
  await user.click(signOutOf('Safari · iPhone'));
  expect(await screen.findByText(/This list is out of date/)).toBeVisible();
  expect(screen.queryByText('That link is spent.')).not.toBeInTheDocument();
  expect(screen.queryByRole('list')).not.toBeInTheDocument();
  expect(screen.getByLabelText('Password')).toHaveValue('Abcde1');
});
