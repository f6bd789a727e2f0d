import { screen } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { answer, networkError, refusal } from '../../testing/api';
import { openSite } from '../../testing/site';
import './sign-up';

async function submit(user: UserEvent) {
  await user.type(await screen.findByLabelText('Email'), 'ada@example.com');
  await user.type(screen.getByLabelText('Username'), 'ada');
  await user.type(screen.getByLabelText('Password'), 'Sunny-Couch-42');
  await user.type(screen.getByLabelText('Country'), 'Chile');
  await user.type(screen.getByLabelText('Zip code'), '10115');
  await user.type(screen.getByLabelText('Day'), '7');
  await user.selectOptions(screen.getByLabelText('Month'), '4');
  await user.selectOptions(screen.getByLabelText('Year'), '1989');
  await user.click(screen.getByRole('button', { name: 'Create account' }));
}

test.each([
  ['a sentence of another kind', () => refusal(500, 'internal', 'Out of order.')],
  ['no answer', networkError],
  ['an answer that nobody can read', () => new Response('<p>', { status: 502 })],
])('a failure with %s has the generic title', async (_, make) => {
  answer('post', '/register', make);
  const user = await openSite('/signup');
  await submit(user);
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('Authentication failed');
  expect(alert).toHaveFocus();
});

test('a general message of the server is shown without a title', async () => {
  answer('post', '/register', () => refusal(400, 'bad_request', { error: 'Not today.' }));
  const user = await openSite('/signup');
  await submit(user);
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('Not today.');
  expect(alert).not.toHaveTextContent('Authentication failed');
});

test('a legacy address gets a link to the migration', async () => {
  answer('post', '/register', () =>
    Response.json(
      {
        code: 'email_in_old_system',
        detail: { fields: { email: 'Please move that account here.' } },
        fields: { email: 'email_in_old_system' },
      },
      { status: 409 },
    ),
  );
  const user = await openSite('/signup');
  await submit(user);
  expect(
    await screen.findByRole('link', { name: 'Move an account from the old site' }),
  ).toHaveAttribute('href', '/account/migration?email=ada%40example.com');
});

test('a taken address gets a link to the sign-in', async () => {
  answer('post', '/register', () =>
    Response.json(
      {
        code: 'account_exists',
        detail: { fields: { email: 'Account already exists. Try signing in below.' } },
        fields: { email: 'account_exists' },
      },
      { status: 409 },
    ),
  );
  const user = await openSite('/signup');
  await submit(user);
  const link = await screen.findByRole('link', { name: 'Sign in with this address' });
  expect(link).toHaveAttribute('href', '/account/');
});
