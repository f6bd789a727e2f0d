import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { Device } from '../../api/devices';
import { ada, answer, ok, refusal } from '../../testing/api';
import { noContent, unauthenticated } from '../../testing/responses';
import { openSite } from '../../testing/site';
import './settings';

const HOUR = 60 * 60 * 1000;
const here: Device = {
  id: '01933f2e-0000-7000-8000-000000000001',
  name: 'Firefox · Windows',
  first_seen_at: new Date(Date.UTC(2025, 4, 6, 12)).toISOString(),
  last_used_at: new Date(Date.now()).toISOString(),
  current: true,
};
const phone: Device = {
  id: '01933f2e-0000-7000-8000-000000000002',
  name: 'Safari · iPhone',
  first_seen_at: new Date(Date.UTC(2025, 7, 8, 12)).toISOString(),
  last_used_at: new Date(Date.now() - 2.5 * HOUR).toISOString(),
  current: false,
};

beforeEach(() => {
  answer('get', '/users/me', () => ok(ada));
  answer('get', '/devices', () => ok({ devices: [here, phone] }));
});

async function entry(name: string) {
  const item = (await screen.findByText(name)).closest('li') as HTMLElement;
  return { item, button: within(item).queryByRole('button') as HTMLElement };
}

test('each device is named, with its last use in the words and on the clock of the browser', async () => {
  answer('get', '/devices', () =>
    ok({
      devices: [here, { ...phone, last_used_at: new Date(2026, 0, 2, 3, 4).toISOString() }],
    }),
  );
  await openSite('/settings');
  const { item, button } = await entry('Safari · iPhone');
  // The timestamp is made from local time, because the title shows the time zone of the browser.
  expect(item.querySelector('time')?.title).toMatch(/Jan 2, 2026, 0?3:04/);
  expect(item).not.toHaveTextContent('3:04');
  expect(item).not.toHaveTextContent('This device');
  expect(button).toHaveAccessibleName('Sign out Safari · iPhone');
  const current = await entry('Firefox · Windows');
  expect(current.item).toHaveTextContent('This device');
  // The current device has no button here, because the screen has a sign-out button.
  expect(current.button).toBeNull();
  expect(current.item).toHaveTextContent('Active now');
});

test('a use some hours ago is shown in hours', async () => {
  await openSite('/settings');
  expect((await entry('Safari · iPhone')).item).toHaveTextContent('Last used: 2 hours ago');
});

test('a device is signed out with a message, and the focus stays nearby', async () => {
  const calls = answer('post', '/devices/sign-out', noContent);
  const user = await openSite('/settings');
  await user.click((await entry('Safari · iPhone')).button);
  expect(await screen.findByRole('status')).toHaveTextContent('The device has been signed out.');
  expect(screen.queryByText('Safari · iPhone')).not.toBeInTheDocument();
  expect(screen.getByText('Firefox · Windows')).toBeVisible();
  expect(screen.getByRole('heading', { name: 'Devices' })).toHaveFocus();
  expect(calls.map((call) => call.body)).toEqual([{ id: phone.id }]);
});

test('a device that cannot be signed out stays in the list', async () => {
  answer('post', '/devices/sign-out', () => refusal(503, 'unavailable', 'A short break.'));
  const user = await openSite('/settings');
  const { item, button } = await entry('Safari · iPhone');
  await user.click(button);
  expect(await within(item).findByRole('alert')).toHaveTextContent('A short break.');
  expect(button).not.toHaveAttribute('aria-disabled');
});

test('signing out everywhere also ends this session', async () => {
  const calls = answer('post', '/devices/sign-out-all', () => {
    answer('get', '/users/me', unauthenticated);
    return noContent();
  });
  const user = await openSite('/settings');
  await user.click(await screen.findByRole('button', { name: 'Sign out everywhere' }));
  expect(calls).toHaveLength(0);
  await user.click(screen.getByRole('button', { name: 'Yes, sign out everywhere' }));
  await waitFor(() => expect(location.pathname).toBe('/account/'));
  expect(await screen.findByRole('status')).toHaveTextContent('You’re signed out.');
  expect(calls).toHaveLength(1);
});

test('the other settings are usable while the devices load', async () => {
  answer('get', '/devices', () => new Promise(() => undefined));
  await openSite('/settings');
  expect(await screen.findByText('Loading your devices…', { selector: 'p' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'Sign Out' })).not.toHaveAttribute('aria-disabled');
});

test('an empty list of devices is shown as a sentence', async () => {
  answer('get', '/devices', () => ok({ devices: [] }));
  await openSite('/settings');
  expect(await screen.findByText('You’re not signed in on any device.')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Sign out everywhere' })).not.toBeInTheDocument();
});

test('signing out everywhere can be cancelled', async () => {
  const calls = answer('post', '/devices/sign-out-all', noContent);
  const user = await openSite('/settings');
  const all = await screen.findByRole('button', { name: 'Sign out everywhere' });
  await user.click(all);
  const question = screen.getByRole('dialog', { name: 'Sign out everywhere?' });
  expect(question).toHaveAccessibleDescription(
    'All your devices will be signed out, including this one.',
  );
  await user.click(within(question).getByRole('button', { name: 'Cancel' }));
  expect(question).not.toBeVisible();
  expect(calls).toHaveLength(0);
});

test('devices with equal names are distinguished by their first use', async () => {
  const twin = {
    ...phone,
    id: '3',
    first_seen_at: new Date(Date.UTC(2026, 0, 2, 12)).toISOString(),
  };
  answer('get', '/devices', () => ok({ devices: [here, phone, twin] }));
  await openSite('/settings');
  const [one, other] = (await screen.findAllByText('Safari · iPhone')).map((name) =>
    name.closest('li'),
  );
  expect(one).toHaveTextContent('First seen: Aug 8, 2025');
  expect(other).toHaveTextContent('First seen: Jan 2, 2026');
});
