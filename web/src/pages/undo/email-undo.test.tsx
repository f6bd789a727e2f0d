import { render, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import words from '../../../../locales/en.json';
import { EmailField } from '../../components/email-field';
import { answer, networkError, ok } from '../../testing/api';
import { openSite } from '../../testing/site';
// The lazy screen is imported before the tests, so that no test waits for the import.
import '../email-change/change-email';

const { answer: message, change_email, undo } = words;
const remaining = { passkeys: ['Phone'], second_factor: true };

async function press(taken: boolean) {
  const email = 'ada@old.example';
  answer('post', '/undo-email-change', () => ok({ message: 'done', email, taken, remaining }));
  const user = await openSite('/change-email?undo=secret');
  await user.click(await screen.findByRole('button', { name: change_email.undo_submit }));
  return (await screen.findByRole('status')).textContent;
}

test('the restored address is named, fills in the next form, and the older credentials are listed', async () => {
  expect(await press(false)).toContain('Your account belongs to ada@old.example again.');
  const names = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(names).toEqual(['Phone', undo.app]);
  render(<EmailField name="email" />);
  expect(screen.getByRole('textbox', { name: 'Email' })).toHaveValue('ada@old.example');
});

test('an address that belongs to another account is not said to be restored', async () => {
  expect(await press(true)).toBe(message.undone_but_taken);
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(undo.removed_title);
  expect(screen.queryByRole('link', { name: undo.new_password })).not.toBeInTheDocument();
});

test('the undo says when the address was changed, and to which', async () => {
  const email_change = { email: 'n…@e….net', at: '2026-11-24T12:00:00Z' };
  const calls = answer('post', '/undo-credential/details', () =>
    ok({ change: null, email_change }),
  );
  await openSite('/change-email?undo=secret');
  expect(
    await screen.findByText(/^On November 24, 2026 at .*was changed\. It’s now n…@e….net\./),
  ).toHaveTextContent('If that wasn’t you, take your account back');
  expect(calls.map((call) => call.body)).toEqual([{ token: 'secret' }]);
});

test('the undo stays general while the change is not known', async () => {
  const calls = answer('post', '/undo-credential/details', networkError);
  await openSite('/change-email?undo=secret');
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(screen.getByText(/^The email of your account was changed\. If/)).toBeVisible();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});
