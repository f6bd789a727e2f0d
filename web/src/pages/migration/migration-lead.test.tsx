import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { answer, refusal } from '../../testing/api';
import { openSite } from '../../testing/site';
import './migration';

const LEAD = 'Your account ada@example.com still lives on the old site';

test('after the right legacy password the lead explains the migration and names the address', async () => {
  answer('post', '/login', () =>
    refusal(403, 'needs_migration', 'Please move it.', { 'x-needs-migration': 'true' }),
  );
  const user = await openSite('/', undefined, false);
  await user.type(await screen.findByLabelText('Email'), 'ada@example.com');
  await user.type(screen.getByLabelText('Password'), 'Old-Couch-41');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText(new RegExp(LEAD))).toBeVisible();
  expect(screen.getByLabelText('Email')).toHaveValue('ada@example.com');
});

test('an address in a link does not reveal whether an account exists', async () => {
  await openSite('/migration?email=ada@example.com');
  expect(await screen.findByLabelText('Email')).toHaveValue('ada@example.com');
  expect(screen.queryByText(new RegExp(LEAD))).not.toBeInTheDocument();
});
