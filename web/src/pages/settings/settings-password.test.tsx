import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { ada, answer, ok, refusal } from '../../testing/api';
import {
  askForProof,
  type FailedCall,
  failures,
  noContent,
  unauthenticated,
} from '../../testing/responses';
import { expectActive, openSite } from '../../testing/site';
import '../../features/reauthentication/reauthentication-dialog';
import './settings';

const NAMES = ['Current password', 'New password', 'Confirm new password'] as const;
const VALID_INPUT = ['Old-Couch-41', 'Sunny-Couch-42', 'Sunny-Couch-42'] as const;

beforeEach(() => {
  answer('get', '/users/me', () => ok(ada));
});

const field = (index: 0 | 1 | 2) => screen.getByLabelText(NAMES[index]);
const save = (user: UserEvent) => user.click(screen.getByRole('button', { name: 'Save Changes' }));

async function edit(): Promise<UserEvent> {
  const user = await openSite('/settings');
  await user.click(await screen.findByRole('button', { name: 'Change password' }));
  await screen.findByLabelText(NAMES[0]);
  return user;
}

async function fill(user: UserEvent, texts: readonly string[]) {
  for (const [index, text] of texts.entries()) {
    const input = field(index as 0 | 1 | 2);
    await user.clear(input);
    if (text) await user.paste(text);
  }
}

test('the password is changed, and the devices are loaded again', async () => {
  const calls = answer('post', '/change-password', () => ok({ message: 'ok' }));
  const devices = answer('get', '/devices', () => ok({ devices: [] }));
  const user = await edit();
  expect(field(0)).toHaveFocus();
  await fill(user, VALID_INPUT);
  await save(user);
  expect(await screen.findByRole('status')).toHaveTextContent('Successfully Updated Password');
  expect(screen.queryByLabelText('Current password')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Change password' })).toHaveFocus();
  expect(calls.map((call) => call.body)).toEqual([
    {
      current_password: 'Old-Couch-41',
      new_password: 'Sunny-Couch-42',
      confirm_password: 'Sunny-Couch-42',
      forget_other_devices: true,
    },
  ]);
  await waitFor(() => expect(devices).toHaveLength(2));
});

test('if reauthentication is required, the password is changed after it', async () => {
  const refuse = () => askForProof('password');
  const calls = answer('post', '/change-password', refuse, () => ok({ message: 'ok' }));
  const proofs = answer('post', '/reauthenticate', noContent);
  const user = await edit();
  await fill(user, VALID_INPUT);
  await save(user);
  const dialog = within(await screen.findByRole('dialog', { name: 'Confirm it’s you' }));
  await user.type(dialog.getByLabelText('Password'), 'Old-Couch-41{Enter}');
  expect(await screen.findByRole('status')).toHaveTextContent('Successfully Updated Password');
  expect(proofs.map(({ body }) => body)).toEqual([{ password: 'Old-Couch-41' }]);
  expect(calls).toHaveLength(2);
});

test('one error is shown at a time, in the order of the rules', async () => {
  const calls = answer('post', '/change-password', () => ok({ message: 'ok' }));
  const user = await edit();
  const steps = [
    [['', '', ''], 0, 'Please enter your current password'],
    [['x', '', 'y'], 1, 'Please enter a new password'],
    [['x', 'ab1', 'y'], 1, 'Password must be at least 6 characters long'],
    [['x', 'abcdef', 'y'], 1, 'Password must contain at least one uppercase letter'],
    [['x', 'ABCDEF', 'y'], 1, 'Password must contain at least one lowercase letter'],
    [['x', 'Abcdef', 'y'], 1, 'Password must contain at least one number'],
    [['x', 'Abcdef1', 'y'], 2, 'Passwords do not match'],
  ] as const;
  for (const [texts, wrong, message] of steps) {
    await fill(user, texts);
    await save(user);
    expect(screen.getByRole('alert')).toHaveTextContent(message);
    expect(field(wrong)).toHaveFocus();
    expect(field(wrong)).toHaveAccessibleDescription(expect.stringContaining(message));
    expect(document.querySelectorAll('[aria-invalid="true"]')).toHaveLength(1);
  }
  expect(calls).toHaveLength(0);
});

test('cancelling clears all fields', async () => {
  const user = await edit();
  await fill(user, VALID_INPUT);
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  const change = screen.getByRole('button', { name: 'Change password' });
  expect(change).toHaveFocus();
  await user.click(change);
  await screen.findByLabelText(NAMES[0]);
  for (const index of [0, 1, 2] as const) expect(field(index)).toHaveValue('');
});

test.each([
  ['current_password_mismatch', 403, 0],
  ['password_equals_current', 422, 1],
  ['password_reused', 422, 1],
] as const)('the server’s error %s is shown at its field', async (code, status, wrong) => {
  answer('post', '/change-password', () => refusal(status, code, 'Not this one.'));
  const user = await edit();
  await fill(user, VALID_INPUT);
  await save(user);
  await waitFor(() => expect(field(wrong)).toBeInvalid());
  expect(field(wrong)).toHaveFocus();
  expect(field(wrong)).toHaveAccessibleDescription(expect.stringContaining('Not this one.'));
  expect(document.querySelectorAll('[aria-invalid="true"]')).toHaveLength(1);
  expect(screen.getByRole('alert')).toHaveTextContent('Not this one.');
});

test('a password with an error, or that is easy to guess, is not said to fit', async () => {
  answer('post', '/change-password', () => refusal(422, 'password_reused', 'Not this one.'));
  const user = await edit();
  await fill(user, ['Old-Couch-41', 'Violet-Ladder-42', 'Violet-Ladder-42']);
  expect(screen.getByText('Password fits')).toBeVisible();
  await save(user);
  await waitFor(() => expect(field(1)).toBeInvalid());
  expect(screen.queryByText('Password fits')).not.toBeInTheDocument();
  await fill(user, ['Old-Couch-41', 'Password1', 'Password1']);
  expect(screen.getByText('Easy to guess')).toBeVisible();
  expect(field(1)).toBeValid();
  expect(screen.queryByText('Password fits')).not.toBeInTheDocument();
});

test.each<FailedCall>([...failures('Failed to change password')])(
  'a failure is shown, and the form stays',
  async (fail, sentence) => {
    answer('post', '/change-password', fail);
    const user = await edit();
    await fill(user, VALID_INPUT);
    await save(user);
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent(sentence);
    await waitFor(() => expect(alert).toHaveFocus());
    expect(location.pathname).toBe('/account/settings');
    expect(field(1)).toHaveValue('Sunny-Couch-42');
    expectActive('Save Changes');
  },
);

test('an ended session redirects to the sign-in', async () => {
  answer('post', '/change-password', unauthenticated);
  const user = await edit();
  await fill(user, VALID_INPUT);
  answer('get', '/users/me', unauthenticated);
  await save(user);
  await waitFor(() => expect(location.pathname).toBe('/account/'));
});

test('password managers get the address, the old and the new password', async () => {
  await edit();
  const form = field(0).closest('form');
  expect(form?.querySelector('[autocomplete="username"]')).toHaveValue('ada@example.com');
  expect(field(0)).toHaveAttribute('autocomplete', 'current-password');
  expect(field(1)).toHaveAttribute('autocomplete', 'new-password');
  expect(field(2)).toHaveAttribute('autocomplete', 'new-password');
});

test('a password containing the username gets advice', async () => {
  const user = await edit();
  await user.type(field(1), 'Ada1815-forever');
  expect(screen.getByText(/^\. It contains “ada1815”\.$/)).toBeVisible();
  await user.clear(field(1));
  await user.type(field(1), 'Sunny-Sofa-421177');
  expect(screen.getByText('Strong password')).toBeVisible();
});
