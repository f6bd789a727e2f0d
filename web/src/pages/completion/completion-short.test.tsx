import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Config } from '../../api/config';
import { answer, config, ok } from '../../testing/api';
import { openSite } from '../../testing/site';
import './completion';

const short: Config = { ...config, region: { ...config.region, migration_form: 'short' } };
const open = () => openSite('/migration-confirmation?migration_token=secret', short);

async function fill(values: Record<string, string>) {
  const user = await open();
  await screen.findByLabelText('Password');
  for (const [label, value] of Object.entries(values)) {
    const field = screen.getByLabelText(label);
    if (field instanceof HTMLSelectElement) await user.selectOptions(field, value);
    else await user.type(field, value);
  }
  await user.click(screen.getByRole('button', { name: 'Complete migration' }));
  return user;
}

const person = {
  Country: 'Chile',
  Month: '4',
  Year: '1989',
  'Zip code': 'SW1A 1AA',
  Password: 'Couch1',
  'Confirm password': 'Couch1',
};

test('the short form has no fields for names and day', async () => {
  await open();
  expect(await screen.findByLabelText('Month')).toBeVisible();
  for (const label of ['First name', 'Last name', 'Day']) {
    expect(screen.queryByLabelText(label)).not.toBeInTheDocument();
  }
  expect(screen.getByText('At least 6 characters')).toBeVisible();
});

test('the short form sends eight keys', async () => {
  const calls = answer('post', '/migration/complete', () =>
    ok({ email: 'ada@example.com', username: 'ada7' }),
  );
  await fill(person);
  expect(await screen.findByRole('status')).toHaveTextContent('Account migration successful');
  expect(calls[0]?.body).toEqual({
    token: 'secret',
    password: 'Couch1',
    confirm_password: 'Couch1',
    country: 'cl',
    birthday_month: 4,
    birthday_year: 1989,
    zipcode: 'SW1A 1AA',
    marketing_consent: false,
  });
});

test('the short form computes the age from the first of the month', async () => {
  const calls = answer('post', '/migration/complete', () => ok({ email: 'a@b.c', username: 'a' }));
  const now = new Date();
  const born = { Month: String(now.getUTCMonth() + 1), Year: String(now.getUTCFullYear() - 18) };
  await fill({ ...person, ...born });
  await waitFor(() => expect(calls).toHaveLength(1));
});

test.each([
  ['five characters', 'Cou1e', 'Password must be at least 6 characters long'],
  ['no digit', 'Couches', 'Password must contain at least one number'],
])('a password with %s is refused', async (_, password, sentence) => {
  await fill({ ...person, Password: password, 'Confirm password': password });
  expect(screen.getByLabelText('Password')).toHaveAccessibleDescription(
    expect.stringContaining(sentence),
  );
});

test('the short form is filled in with what the older system knew', async () => {
  const known = { country: 'cl', birthday_month: 4, birthday_year: 1989, zipcode: '8320000' };
  answer('post', '/link-address', () => ok({ email: 'ada@example.com', known }));
  await open();
  await waitFor(() => expect(screen.getByLabelText('Country')).toHaveValue('Chile'));
  const filled = { Month: '4', Year: '1989', 'Zip code': '8320000' };
  for (const [label, value] of Object.entries(filled)) {
    expect(screen.getByLabelText(label)).toHaveValue(value);
  }
});
