import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { answer, ok, refusal } from '../../testing/api';
import { expectActive, expectLink, openSite } from '../../testing/site';
import './unsubscribe';

test('opening the link does nothing; the button ends the invitations', async () => {
  const calls = answer('post', '/unsubscribe', () => ok({ message: 'ok' }));
  const user = await openSite('/unsubscribe?token=secret');
  const stop = await screen.findByRole('button', { name: 'Stop the invitations' });
  expect(document.title).toBe('Stop the invitations? · Couch & Moon');
  expect(location.search).toBe('');
  expect(calls).toHaveLength(0);
  await user.click(stop);
  expect(await screen.findByRole('status')).toHaveTextContent(
    'We won’t send you any more invitations.',
  );
  expect(screen.getByRole('heading', { level: 1, name: 'No more invitations' })).toHaveFocus();
  expect(document.title).toBe('No more invitations · Couch & Moon');
  expectLink('Move my account', '/account/migration');
  expect(calls.map((call) => call.body)).toEqual([{ token: 'secret' }]);
});

test('a failure is shown, and the button stays', async () => {
  answer('post', '/unsubscribe', () => refusal(503, 'unavailable', 'A short break.'));
  const user = await openSite('/unsubscribe?token=old');
  await user.click(await screen.findByRole('button', { name: 'Stop the invitations' }));
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('A short break.');
  expect(alert).toHaveFocus();
  expectActive('Stop the invitations');
});
