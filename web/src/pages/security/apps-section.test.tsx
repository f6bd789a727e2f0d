import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { answer, config, networkError, ok, refusal } from '../../testing/api';
import { noContent } from '../../testing/responses';
import { openSite } from '../../testing/site';
import './security';

const host = { ...config, passkeys: { enabled: false, offer: false } };
const wiki = {
  client_id: 'wiki',
  name: 'Couch Wiki',
  first_used_at: '2026-11-01T10:00:00Z',
  last_used_at: '2026-11-20T10:00:00Z',
};
const avatar = { ...wiki, client_id: 'avatar/maker', name: 'Avatar Maker' };

async function open() {
  const user = await openSite('/settings/security', host);
  const region = await screen.findByRole('region', { name: 'Connected apps' });
  const press = (name: string) => user.click(within(region).getByRole('button', { name }));
  return { region, press };
}

test('the applications are listed, and one can be signed out of', async () => {
  answer('get', '/connected-apps', () => ok({ apps: [wiki, avatar] }));
  const calls = answer('delete', '/connected-apps/:id', noContent);
  const { region, press } = await open();
  expect(await within(region).findAllByRole('listitem')).toHaveLength(2);
  await press('Sign out of Avatar Maker');
  expect(await within(region).findByRole('status')).toHaveTextContent('Avatar Maker');
  expect(within(region).getAllByRole('listitem')).toHaveLength(1);
  expect(within(region).getByRole('heading')).toHaveFocus();
  expect(calls.map(({ url }) => url.pathname)).toEqual([
    '/account/account-api/connected-apps/avatar%2Fmaker',
  ]);
});

test('an application whose session has ended is removed from the list', async () => {
  answer('get', '/connected-apps', () => ok({ apps: [wiki] }));
  answer('delete', '/connected-apps/:id', () => refusal(404, 'not_found', 'Not found.'));
  const { region, press } = await open();
  await within(region).findByRole('listitem');
  await press('Sign out of Couch Wiki');
  expect(await within(region).findByText(/not signed in to any app/)).toBeVisible();
});

test('a failure is shown beside the application', async () => {
  answer('get', '/connected-apps', () => ok({ apps: [wiki] }));
  answer('delete', '/connected-apps/:id', networkError);
  const { region, press } = await open();
  await within(region).findByRole('listitem');
  await press('Sign out of Couch Wiki');
  expect(await within(region).findByRole('alert')).toBeVisible();
  expect(within(region).getByRole('listitem')).toBeVisible();
});
