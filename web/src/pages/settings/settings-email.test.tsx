import { screen, waitFor } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { answer, networkError, ok, pendingResponse, refusal } from '../../testing/api';
import { expectInactive, openSite } from '../../testing/site';
import './settings';

const ada = { email: 'ada@example.com', username: 'ada1815' };

beforeEach(() => {
  answer('get', '/users/me', () => ok(ada));
});

const field = () => screen.getByRole('textbox', { name: 'Email' });
const save = (user: UserEvent) => user.click(screen.getByRole('button', { name: 'Save Changes' }));

async function edit(): Promise<UserEvent> {
  const user = await openSite('/settings');
  await user.click(await screen.findByRole('button', { name: 'Change email' }));
  expect(field()).toHaveValue('ada@example.com');
  await user.clear(field());
  return user;
}

test('the old address is shown until the new one is confirmed', async () => {
  const calls = answer('post', '/change-email', () => ok({ message: 'ok' }));
  const user = await edit();
  expect(field()).toHaveFocus();
  expect(screen.queryByRole('button', { name: 'Change email' })).not.toBeInTheDocument();
  await user.type(field(), ' ada@new.example ');
  await save(user);
  expect(await screen.findByRole('status')).toHaveTextContent(
    'Email change request sent. Please check your email to confirm.',
  );
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
  expect(screen.getByText('ada@example.com')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Change email' })).toHaveFocus();
  expect(calls.map((call) => call.body)).toEqual([{ email: 'ada@new.example' }]);
});

test.each([
  ['', 'Email is required.'],
  ['ada', 'Invalid email address.'],
])('"%s" is rejected before a request is sent', async (email, message) => {
  const calls = answer('post', '/change-email', () => ok({ message: 'ok' }));
  const user = await edit();
  if (email) await user.type(field(), email);
  await save(user);
  expect(screen.getByRole('alert')).toHaveTextContent(message);
  expect(field()).toHaveAccessibleDescription(message);
  expect(field()).toHaveFocus();
  expect(calls).toHaveLength(0);
});

test('cancelling discards the input and returns the focus to the button', async () => {
  const user = await edit();
  await user.type(field(), 'ada@new');
  await save(user);
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  const change = screen.getByRole('button', { name: 'Change email' });
  expect(change).toHaveFocus();
  await user.click(change);
  expect(field()).toHaveValue('ada@example.com');
  expect(field()).toBeValid();
});

test.each([
  // The default message suggests a sign-in, but the person is already signed in.
  [
    () => refusal(409, 'account_exists', 'Account already exists. Try signing in below.'),
    'This address already belongs to an account.',
  ],
  [() => refusal(422, 'email_unchanged', 'It is yours already.'), 'It is yours already.'],
  [() => refusal(403, 'cross_site', 'From elsewhere.'), 'From elsewhere.'],
  [() => refusal(502, 'odd', {}), 'Failed to update email'],
  [networkError, 'We can’t reach the server.'],
])('a failure is shown, and the form stays', async (fail, sentence) => {
  answer('post', '/change-email', fail);
  const user = await edit();
  await user.type(field(), 'ada@new.example');
  await save(user);
  expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
  expect(field()).toHaveValue('ada@new.example');
  expect(screen.getByRole('button', { name: 'Save Changes' })).not.toHaveAttribute('aria-disabled');
});

test('an ended session redirects to the sign-in', async () => {
  answer('post', '/change-email', () => refusal(401, 'unauthenticated', 'Please sign in first.'));
  const user = await edit();
  await user.type(field(), 'ada@new.example');
  answer('get', '/users/me', () => refusal(401, 'unauthenticated', 'Please sign in first.'));
  await save(user);
  await waitFor(() => expect(location.pathname).toBe('/account/'));
});

test('a request in progress is not sent twice', async () => {
  let finish: (response: Response) => void = () => undefined;
  const calls = answer('post', '/change-email', () => new Promise((done) => (finish = done)));
  const user = await edit();
  await user.type(field(), 'ada@new.example');
  await save(user);
  await expectInactive('Saving…');
  await user.type(field(), '{Enter}');
  finish(ok({ message: 'ok' }));
  await screen.findByRole('status');
  expect(calls).toHaveLength(1);
});

test('a form that is being saved is not closed, so that its response has a place', async () => {
  const { response, arrive } = pendingResponse();
  answer('post', '/change-email', () => response);
  const user = await edit();
  await user.type(field(), 'ada@new.example');
  await save(user);
  await user.click(screen.getByRole('button', { name: 'Change password' }));
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(screen.queryByLabelText('Current password')).not.toBeInTheDocument();
  expect(field()).toHaveValue('ada@new.example');
  arrive(refusal(502, 'odd', {}));
  expect(await screen.findByRole('alert')).toHaveTextContent('Failed to update email');
  await user.click(screen.getByRole('button', { name: 'Change password' }));
  expect(await screen.findByLabelText('Current password')).toHaveFocus();
});

test('opening the next form removes the message of a saved address', async () => {
  answer('post', '/change-email', () => ok({ message: 'ok' }));
  const user = await edit();
  await user.type(field(), 'ada@new.example');
  await save(user);
  await screen.findByRole('status');
  await user.click(screen.getByRole('button', { name: 'Change password' }));
  await screen.findByLabelText('Current password');
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
});

test('one form is open at a time, and the focus goes with it', async () => {
  const user = await edit();
  await user.click(screen.getByRole('button', { name: 'Change password' }));
  expect(await screen.findByLabelText('Current password')).toHaveFocus();
  expect(screen.queryByRole('textbox', { name: 'Email' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Change email' }));
  expect(screen.queryByLabelText('Current password')).not.toBeInTheDocument();
  expect(field()).toHaveFocus();
});
