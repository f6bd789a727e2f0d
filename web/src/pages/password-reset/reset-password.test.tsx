import { screen, waitFor } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { answer, ok, refusal } from '../../testing/api';
import { expectActive, expectLink, openSite, spentLink } from '../../testing/site';
import './reset-password';

const done = { success: true, message: 'Your password has been reset.' };
const open = () => openSite('/reset-password?token=secret&lang=en');
const password = () => screen.findByLabelText('New password');
const confirmation = () => screen.getByLabelText('Confirm password');

async function choose(user: UserEvent, first: string, second: string) {
  await user.clear(await password());
  if (first) await user.paste(first);
  await user.clear(confirmation());
  if (second) await user.paste(second);
  await user.click(screen.getByRole('button', { name: 'Reset password' }));
}

test('the new password is saved, and a link leads to the sign-in, which is filled in', async () => {
  const calls = answer('post', '/reset-password/confirm', () => ok(done));
  const user = await open();
  expect(location.search).toBe('?lang=en');
  expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(
    'Choose a new password',
  );
  await choose(user, 'Sunny-Couch-42', 'Sunny-Couch-42');
  expect(await screen.findByRole('status')).toHaveTextContent('Your password has been reset.');
  expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  expectLink('Go to sign in', '/account/');
  expect(calls.map((call) => call.body)).toEqual([
    { token: 'secret', new_password: 'Sunny-Couch-42', confirm_password: 'Sunny-Couch-42' },
  ]);
  await user.click(screen.getByRole('link', { name: 'Go to sign in' }));
  expect(await screen.findByLabelText('Email')).toHaveValue('ada@example.com');
});

test('after a suspicion the passkeys are named, with a link to the security', async () => {
  const calls = answer('post', '/reset-password/confirm', () =>
    ok({ ...done, passkeys: ['Phone', 'Laptop'] }),
  );
  const user = await open();
  await password();
  await user.click(
    screen.getByRole('checkbox', {
      name: 'Also sign me out of connected apps and forget my trusted devices',
    }),
  );
  await choose(user, 'Sunny-Couch-42', 'Sunny-Couch-42');
  expect(await screen.findByText(/These passkeys still sign in: Phone, Laptop/)).toBeVisible();
  expectLink('Check my security', '/account/settings/security');
  expect(calls.map((call) => call.body)).toEqual([
    expect.objectContaining({ revoke_others: true }),
  ]);
});

test.each(['/reset-password', '/reset-password?token='])(
  '%s shows that the link is invalid',
  async (path) => {
    await openSite(path);
    expect(await screen.findByRole('alert')).toHaveTextContent('Invalid or missing reset token');
    expect(screen.queryByLabelText('New password')).not.toBeInTheDocument();
    expectLink('Back to login', '/account/');
  },
);

test('a token of another screen is not used', async () => {
  await openSite('/reset-password?verificationToken=secret');
  expect(await screen.findByRole('alert')).toHaveTextContent('Invalid or missing reset token');
});

test('one error is shown at a time, in the order of the rules', async () => {
  const calls = answer('post', '/reset-password/confirm', () => ok(done));
  const user = await open();
  const steps = [
    ['', '', 'Please enter a new password'],
    ['ab1', '', 'Password must be at least 6 characters long'],
    ['abcdef', 'x', 'Password must contain at least one uppercase letter'],
    ['ABCDEF', 'x', 'Password must contain at least one lowercase letter'],
    ['Abcdef', 'x', 'Password must contain at least one number'],
  ] as const;
  for (const [first, second, message] of steps) {
    await choose(user, first, second);
    expect(screen.getByRole('alert')).toHaveTextContent(message);
    expect(await password()).toBeInvalid();
    expect(await password()).toHaveFocus();
    expect(confirmation()).toBeValid();
  }
  await choose(user, 'Abcdef1', 'Abcdef2');
  expect(screen.getByRole('alert')).toHaveTextContent('Passwords do not match');
  expect(confirmation()).toHaveAccessibleDescription('Passwords do not match');
  expect(confirmation()).toHaveFocus();
  expect(await password()).toBeValid();
  expect(calls).toHaveLength(0);
});

test.each([
  ['password_reused', 'Used before.'],
  ['password_equals_current', 'That’s the password you already have. You can sign in with it.'],
])('the refusal %s is shown at the password, and the link stays valid', async (code, sentence) => {
  answer('post', '/reset-password/confirm', () => refusal(422, code, 'Used before.'));
  const user = await open();
  await choose(user, 'Sunny-Couch-42', 'Sunny-Couch-42');
  expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
  expect(await password()).toBeInvalid();
  expect(await password()).toHaveFocus();
  expect(await password()).toHaveAccessibleDescription(expect.stringContaining(sentence));
  const calls = answer('post', '/reset-password/confirm', () => ok(done));
  await choose(user, 'Rainy-Couch-42', 'Rainy-Couch-42');
  await screen.findByRole('status');
  expect(calls[0]?.body).toMatchObject({ token: 'secret', new_password: 'Rainy-Couch-42' });
});

test('a link that the server refuses at once is reported above the form', async () => {
  const refuse = () => refusal(400, 'invalid_token', 'It is spent.');
  answer('post', '/link-address', refuse);
  answer('post', '/reset-password/confirm', refuse);
  const user = await open();
  const status = await screen.findByRole('status');
  expect(status).toHaveTextContent('This link no longer works');
  expect(status).toHaveTextContent('It is spent.');
  expectLink('Request a new link', '/account/request-password');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Choose a new password');
  await choose(user, 'Sunny-Couch-42', 'Sunny-Couch-42');
  expect(await screen.findByRole('alert')).toHaveTextContent('It is spent.');
  expect(spentLink()).toHaveFocus();
});

test('an expired link offers a new one', async () => {
  answer('post', '/reset-password/confirm', () => refusal(400, 'invalid_token', 'It is spent.'));
  await choose(await open(), 'Sunny-Couch-42', 'Sunny-Couch-42');
  expect(await screen.findByRole('alert')).toHaveTextContent('It is spent.');
  expect(spentLink()).toHaveFocus();
  expect(screen.queryByRole('button', { name: 'Reset password' })).not.toBeInTheDocument();
  expectLink('Request a new link', '/account/request-password');
});

test.each([
  [() => ok({ success: false, message: 'Not today.' }), 'Not today.'],
  [() => ok({ success: false, message: '' }), 'Failed to reset password'],
  [() => refusal(502, 'odd', {}), 'Failed to reset password'],
])('a failure is shown in the alert', async (fail, sentence) => {
  answer('post', '/reset-password/confirm', fail);
  await choose(await open(), 'Sunny-Couch-42', 'Sunny-Couch-42');
  expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
  expectActive('Reset password');
});

test('the checklist is updated, and a weak password gets advice without being rejected', async () => {
  const calls = answer('post', '/reset-password/confirm', () => ok(done));
  const user = await open();
  await user.type(await password(), 'Password1');
  expect(screen.getByText('Easy to guess').parentElement).toHaveTextContent(
    'Easy to guess. This is one of the first passwords anyone would try.',
  );
  expect(screen.getByText('4 of 5 password requirements met')).toBeInTheDocument();
  await user.type(confirmation(), 'Password1');
  expect(screen.getByText('5 of 5 password requirements met')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Reset password' }));
  await waitFor(() => expect(calls).toHaveLength(1));
});

test('password managers see two new passwords', async () => {
  await open();
  expect(await password()).toHaveAttribute('autocomplete', 'new-password');
  expect(confirmation()).toHaveAttribute('autocomplete', 'new-password');
});
