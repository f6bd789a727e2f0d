import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { answer, ok } from '../../testing/api';
import { expectLink, openSite, spentLink } from '../../testing/site';
import './verify-email';

const expired = {
  code: 'invalid_token',
  detail: 'This link is invalid or has expired.',
  purpose: 'device_approval',
};

test('an expired device link leads to the sign-in, not to another verification mail', async () => {
  answer('get', '/confirm-email', () => Response.json(expired, { status: 400 }));
  await openSite('/verify-email?token=old');
  expect(await screen.findByRole('alert')).toHaveTextContent('Sign in again to get a new link.');
  expect(spentLink()).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Send a new link' })).not.toBeInTheDocument();
  expectLink('Sign in', '/account/');
});

test('a question that expires before the decision links to the sign-in', async () => {
  answer('get', '/confirm-email', () => ok({ message: 'ok', code: 'device_pending' }));
  answer('post', '/confirm-device', () => Response.json(expired, { status: 400 }));
  const user = await openSite('/verify-email?token=secret');
  await user.click(await screen.findByRole('button', { name: 'Yes, this was me' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('Sign in again to get a new link.');
  expect(spentLink()).toBeVisible();
});

test.each([
  ['Yes, this was me', 'device_approved', 'Device approved', 'Back to Sign In', '/account/'],
  [
    'No, it was not',
    'device_refused',
    'Device blocked',
    'Choose a new password',
    '/account/request-password',
  ],
])('after the question, "%s" has its own heading, with the focus', async (...row) => {
  const [name, code, title, link, href] = row;
  answer('get', '/confirm-email', () => ok({ message: 'ok', code: 'device_pending' }));
  answer('post', '/confirm-device', () => ok({ message: 'ok', code }));
  const user = await openSite('/verify-email?token=secret');
  await waitFor(() =>
    expect(screen.getByRole('heading', { level: 1, name: 'Was this you?' })).toBeVisible(),
  );
  expect(document.title).toBe('Was this you? · Couch & Moon');
  expect(screen.getByRole('status')).toHaveTextContent(
    'A new device tried to sign in to your account.',
  );
  await user.click(screen.getByRole('button', { name }));
  expect(await screen.findByRole('heading', { level: 1, name: title })).toHaveFocus();
  expect(screen.getByRole('status')).toBeVisible();
  expectLink(link, href);
});
