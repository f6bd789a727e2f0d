import { screen, waitFor } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { answer, networkError, ok, refusal } from '../../testing/api';
import { expectActive, expectLink, openSite, reloadSite } from '../../testing/site';
import './request-password';

const sent = { success: true, message: 'If an account exists, …', code: 'reset_sent' };

async function ask(user: UserEvent, email: string) {
  const field = await screen.findByRole('textbox', { name: 'Email' });
  if (email) await user.type(field, email);
  await user.click(screen.getByRole('button', { name: 'Send reset link' }));
}

test('the result does not disclose whether an account exists, and its heading has the focus', async () => {
  const calls = answer('post', '/reset-password', () => ok(sent));
  await ask(await openSite('/request-password'), ' ada@example.com ');
  expect(await screen.findByRole('status')).toHaveTextContent(
    'If an account exists for ada@example.com, a link',
  );
  expect(screen.getByRole('heading', { level: 1, name: 'Check your email' })).toHaveFocus();
  expect(document.title).toBe('Check your email · Couch & Moon');
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
  expectLink('Back', '/account/');
  expect(calls.map((call) => call.body)).toEqual([{ email: 'ada@example.com' }]);
});

test('after a mistyped address another one can be requested, also after a reload', async () => {
  const calls = answer('post', '/reset-password', () => ok(sent));
  const user = await openSite('/request-password');
  await ask(user, 'aad@example.com');
  await screen.findByRole('status');
  await reloadSite();
  expect(screen.getByRole('status')).toHaveTextContent('aad@example.com');
  await user.click(await screen.findByRole('button', { name: 'Try another address' }));
  const field = screen.getByRole('textbox', { name: 'Email' });
  expect(field).toHaveValue('aad@example.com');
  await user.clear(field);
  await ask(user, 'ada@example.com');
  await waitFor(() => expect(calls).toHaveLength(2));
});

test('after a reload of the result the sign-in is filled in with the address', async () => {
  answer('post', '/reset-password', () => ok(sent));
  const user = await openSite('/request-password');
  await ask(user, 'ada@example.com');
  await screen.findByRole('status');
  await reloadSite();
  await user.click(screen.getByRole('link', { name: 'Back' }));
  expect(await screen.findByRole('textbox', { name: 'Email' })).toHaveValue('ada@example.com');
});

test.each([
  ['by its code', { success: true, message: 'Something else.', code: 'needs_migration' }],
  ['by the word, without a code', { success: true, message: 'A Migration comes first.' }],
])('a legacy account, recognised %s, gets a link to the migration', async (_, body) => {
  answer('post', '/reset-password', () => ok(body));
  await ask(await openSite('/request-password'), 'ada+1@example.com');
  expect(await screen.findByRole('status')).toHaveTextContent('Your account needs a migration');
  expect(screen.getByRole('heading', { level: 1, name: 'Migrate your account' })).toHaveFocus();
  expectLink('Move my account', '/account/migration?email=ada%2B1%40example.com');
});

test('the code has precedence over the word in the message', async () => {
  answer('post', '/reset-password', () => ok({ ...sent, message: 'No migration here.' }));
  await ask(await openSite('/request-password'), 'ada@example.com');
  expect(await screen.findByRole('status')).toHaveTextContent('If an account exists');
});

test.each([
  ['', 'Please fill in this field'],
  ['   ', 'Please fill in this field'],
  ['ada', 'Invalid email address.'],
  ['ada@example', 'Invalid email address.'],
])('"%s" is rejected before a request is sent', async (email, message) => {
  const calls = answer('post', '/reset-password', () => ok(sent));
  await ask(await openSite('/request-password'), email);
  expect(await screen.findByRole('alert')).toHaveTextContent(message);
  const field = screen.getByRole('textbox', { name: 'Email' });
  expect(field).toHaveAccessibleDescription(message);
  expect(field).toBeInvalid();
  expect(field).toHaveFocus();
  expect(calls).toHaveLength(0);
});

test.each([
  [() => refusal(429, 'rate_limited', 'Slow down, please.'), 'Slow down, please.'],
  [
    () => refusal(429, 'rate_limited', 'Slow down.', { 'Retry-After': '60' }),
    'You can ask for another one in 1 minute.',
  ],
  [() => refusal(502, 'odd', { fields: {} }), 'Failed to send reset email'],
  [() => ok({ success: false, message: 'Not today.', code: 'reset_sent' }), 'Not today.'],
  [() => ok({ success: false, message: '' }), 'Failed to send reset email'],
  [networkError, 'We can’t reach the server.'],
])('a failure is shown, and the form stays', async (fail, sentence) => {
  answer('post', '/reset-password', fail);
  await ask(await openSite('/request-password'), 'ada@example.com');
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent(sentence);
  expect(alert).toHaveFocus();
  expect(screen.getByRole('textbox', { name: 'Email' })).toHaveValue('ada@example.com');
  expectActive('Send reset link');
});
