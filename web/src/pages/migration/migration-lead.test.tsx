import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { answer, ok, refusal } from '../../testing/api';
import { openSite } from '../../testing/site';
import './migration';

const LEAD = 'Your account ada@example.com still lives on the old site';

test('after the right legacy password the lead names the address, and the link is requested once', async () => {
  const calls = answer('post', '/migration', () => ok({ message: 'ok', code: 'migration_sent' }));
  answer('post', '/login', () =>
    refusal(403, 'needs_migration', 'Please move it.', { 'x-needs-migration': 'true' }),
  );
  const user = await openSite('/', undefined, false);
  await user.type(await screen.findByLabelText('Email'), 'ada@example.com');
  await user.type(screen.getByLabelText('Password'), 'Old-Couch-41');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText(new RegExp(LEAD))).toBeVisible();
  expect(await screen.findByRole('status')).toHaveTextContent('the instructions are on their way');
  expect(screen.getByText(new RegExp(LEAD))).toBeVisible();
  expect(screen.getByLabelText('Email')).toHaveValue('ada@example.com');
  expect(calls.map(({ body }) => body)).toEqual([{ email: 'ada@example.com' }]);
  // After a reload the link is not requested again.
  expect(history.state).toEqual({ needsMigration: true, isLinkRequested: true });
});

test('an address in a link does not reveal whether an account exists', async () => {
  await openSite('/migration?email=ada@example.com');
  expect(await screen.findByLabelText('Email')).toHaveValue('ada@example.com');
  expect(screen.queryByText(new RegExp(LEAD))).not.toBeInTheDocument();
});
