import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import words from '../../../../locales/en.json';
import {
  ada,
  answer,
  networkError,
  ok,
  pendingResponse,
  refusal,
  security,
} from '../../testing/api';
import {
  askForProof,
  type FailedCall,
  failures,
  noContent,
  unauthenticated,
} from '../../testing/responses';
import { emailAddress, openSite } from '../../testing/site';
import './settings';

beforeEach(() => {
  answer('get', '/users/me', () => ok(ada));
});

/** Matches the paragraph about the pending change by its whole text, because the email address is a child element. */
const pendingChange = (_text: string, element: Element | null) =>
  element?.matches('p') === true &&
  element.textContent ===
    'We sent a link to ada@new.example. Your address changes when you open it.';

const field = () => screen.getByRole('textbox', { name: 'Email' });
const save = (user: UserEvent) => user.click(screen.getByRole('button', { name: 'Save Changes' }));

async function edit(): Promise<UserEvent> {
  const user = await openSite('/settings');
  await user.click(await screen.findByRole('button', { name: 'Change email' }));
  expect(field()).toHaveValue('ada@example.com');
  await user.clear(field());
  return user;
}

async function request(): Promise<UserEvent> {
  const user = await edit();
  await user.type(field(), 'ada@new.example');
  await save(user);
  return user;
}

test('the old address is shown until the new one is confirmed, and the message until the next form opens', async () => {
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
  expect(screen.getByText(emailAddress('ada@example.com'))).toBeVisible();
  expect(screen.getByRole('button', { name: 'Change email' })).toHaveFocus();
  expect(screen.getByText(pendingChange)).toBeVisible();
  expect(calls.map((call) => call.body)).toEqual([{ email: 'ada@new.example' }]);
  await user.click(screen.getByRole('button', { name: 'Change password' }));
  await screen.findByLabelText('Current password');
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
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
  [409, 'account_exists', 'This address already belongs to an account.'],
  [422, 'email_unchanged', 'It is yours already.'],
])('an address that the server refuses (%i) is marked at its field', async (status, code, text) => {
  answer('post', '/change-email', () => refusal(status, code, text));
  await request();
  await waitFor(() => expect(field()).toBeInvalid());
  expect(field()).toHaveFocus();
  expect(field()).toHaveAccessibleDescription(text);
  expect(screen.getByRole('alert')).toHaveTextContent(text);
});

test.each<FailedCall>([
  [() => refusal(403, 'cross_site', 'From elsewhere.'), 'From elsewhere.'],
  ...failures('Failed to update email'),
])('a failure is shown, and the form stays', async (fail, sentence) => {
  answer('post', '/change-email', fail);
  await request();
  expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
  expect(field()).toHaveValue('ada@new.example');
  expect(screen.getByRole('button', { name: 'Save Changes' })).not.toHaveAttribute('aria-disabled');
});

test('an ended session redirects to the sign-in', async () => {
  answer('post', '/change-email', unauthenticated);
  const user = await edit();
  await user.type(field(), 'ada@new.example');
  answer('get', '/users/me', unauthenticated);
  await save(user);
  await waitFor(() => expect(location.pathname).toBe('/account/'));
});

test('a form that is being saved is not closed, so that its response has a place', async () => {
  const { response, arrive } = pendingResponse();
  answer('post', '/change-email', () => response);
  const user = await request();
  await user.click(screen.getByRole('button', { name: 'Change password' }));
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(screen.queryByLabelText('Current password')).not.toBeInTheDocument();
  expect(field()).toHaveValue('ada@new.example');
  arrive(refusal(502, 'odd', {}));
  expect(await screen.findByRole('alert')).toHaveTextContent('Failed to update email');
  await user.click(screen.getByRole('button', { name: 'Change password' }));
  expect(await screen.findByLabelText('Current password')).toHaveFocus();
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

const resend = () => screen.getByRole('button', { name: 'Send the link again' });
const cancel = () => screen.getByRole('button', { name: 'Cancel email change' });

async function openWithPendingChange(): Promise<UserEvent> {
  answer('get', '/security', () => ok({ ...security, pending_email: 'ada@new.example' }));
  const user = await openSite('/settings');
  expect(await screen.findByText(pendingChange)).toBeVisible();
  return user;
}

test('without a pending change no address of a link is shown', async () => {
  await openSite('/settings');
  await screen.findByRole('button', { name: 'Change email' });
  expect(document.body).not.toHaveTextContent('We sent a link');
});

test('a pending change is shown after a reload, and its link can be sent again', async () => {
  const calls = answer('post', '/change-email', () => ok({ message: 'ok' }));
  const user = await openWithPendingChange();
  await user.click(resend());
  expect(await screen.findByRole('status')).toHaveTextContent('We sent the link again.');
  expect(screen.getByText(pendingChange)).toBeVisible();
  expect(resend()).toHaveFocus();
  expect(calls.map((call) => call.body)).toEqual([{ email: 'ada@new.example' }]);
});

test('a cancelled change is no longer shown, and the focus moves to its button', async () => {
  const calls = answer('delete', '/change-email', noContent);
  const user = await openWithPendingChange();
  await user.click(cancel());
  expect(await screen.findByRole('status')).toHaveTextContent('Your email address stays as it is.');
  expect(screen.queryByText(pendingChange)).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Change email' })).toHaveFocus();
  expect(calls).toHaveLength(1);
});

test.each([
  ['post', resend, () => refusal(429, 'rate_limited', 'Slow down.'), 'Slow down.'],
  [
    'post',
    resend,
    () => refusal(429, 'rate_limited', 'Slow down.', { 'Retry-After': '60' }),
    'You can ask for another one in 1 minute.',
  ],
  ['post', resend, networkError, 'We can’t reach the server.'],
  ['delete', cancel, () => refusal(502, 'odd', {}), 'Failed to update email'],
] as const)('if a "%s" for the pending change fails, the change stays', async (...row) => {
  const [method, button, fail, sentence] = row;
  answer(method, '/change-email', fail);
  const user = await openWithPendingChange();
  await user.click(button());
  expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
  expect(screen.getByText(pendingChange)).toBeVisible();
});

const TAKEN = 'This address already belongs to an account.';

test('a new address that is taken ends the pending change', async () => {
  answer('post', '/change-email', () => refusal(409, 'account_exists', TAKEN));
  const user = await openWithPendingChange();
  await user.click(screen.getByRole('button', { name: 'Change email' }));
  await user.clear(field());
  await user.type(field(), 'eva@example.com');
  await save(user);
  await waitFor(() => expect(field()).toHaveAccessibleDescription(TAKEN));
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(screen.queryByText(pendingChange)).not.toBeInTheDocument();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('a pending change whose address was taken meanwhile ends with the message', async () => {
  answer(
    'post',
    '/change-email',
    () => ok({ message: 'ok' }),
    () => refusal(409, 'account_exists', TAKEN),
  );
  const user = await openWithPendingChange();
  await user.click(resend());
  await screen.findByRole('status');
  await user.click(resend());
  expect(await screen.findByRole('alert')).toHaveTextContent(TAKEN);
  expect(screen.getByRole('alert')).toHaveFocus();
  expect(screen.queryByText(pendingChange)).not.toBeInTheDocument();
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Change email' }));
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('a new address that another device has confirmed is shown in place of the pending change', async () => {
  const { response, arrive } = pendingResponse();
  answer(
    'post',
    '/change-email',
    () => ok({ message: 'ok' }),
    () => response,
  );
  const user = await openWithPendingChange();
  await user.click(resend());
  await screen.findByRole('status');
  await user.click(resend());
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
  answer('get', '/users/me', () => ok({ ...ada, email: 'ada@new.example' }));
  arrive(refusal(422, 'email_unchanged', 'It is yours already.'));
  expect(await screen.findByRole('status')).toHaveTextContent(words.settings.email_confirmed);
  expect(await screen.findByText(emailAddress('ada@new.example'))).toBeVisible();
  expect(screen.queryByText(emailAddress('ada@example.com'))).not.toBeInTheDocument();
  expect(screen.queryByText(pendingChange)).not.toBeInTheDocument();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Change email' })).toHaveFocus();
});

test('in the profile strict the link is sent again after a proof of identity', async () => {
  answer('post', '/change-email', () => askForProof('password'));
  const user = await openWithPendingChange();
  await user.click(resend());
  const dialog = await screen.findByRole('dialog');
  answer('post', '/reauthenticate', noContent);
  answer('post', '/change-email', () => ok({ message: 'ok' }));
  await user.type(within(dialog).getByLabelText('Password'), 'Sunny-Couch-42{Enter}');
  expect(await screen.findByText(/We sent the link again/)).toBeVisible();
});

test('the form for a new address replaces the pending change until it is closed', async () => {
  const user = await openWithPendingChange();
  await user.click(screen.getByRole('button', { name: 'Change email' }));
  expect(screen.queryByText(pendingChange)).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(screen.getByText(pendingChange)).toBeVisible();
});
