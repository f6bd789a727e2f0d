import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { answer, ok } from '../../testing/api';
import { expectLink, openSite, spentLink } from '../../testing/site';
import '../email-change/change-email';
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
  ['Yes, this was me', { code: 'device_approved' }, 'Device approved'],
  ['No, it was not', { code: 'device_refused' }, 'Device blocked'],
])('after "%s" the heading has the focus', async (name, decided, title) => {
  answer('get', '/confirm-email', () => ok({ message: 'ok', code: 'device_pending' }));
  answer('post', '/confirm-device', () => ok({ message: 'ok', ...decided }));
  const user = await openSite('/verify-email?token=secret');
  await user.click(await screen.findByRole('button', { name }));
  expect(await screen.findByRole('status')).toBeVisible();
  expect(screen.getByRole('heading', { level: 1, name: title })).toHaveFocus();
});

test('the question about a device has its own heading and title', async () => {
  answer('get', '/confirm-email', () => ok({ message: 'ok', code: 'device_pending' }));
  await openSite('/verify-email?token=secret');
  expect(await screen.findByRole('heading', { level: 1, name: 'Was this you?' })).toBeVisible();
  expect(document.title).toBe('Was this you? · Couch & Moon');
  expect(screen.getByRole('status')).toHaveTextContent(
    'A new device tried to sign in to your account.',
  );
});

test('the undo has its own heading and title, before and after', async () => {
  answer('post', '/undo-email-change', () => ok({ message: 'ok', email: 'ada@example.com' }));
  const user = await openSite('/change-email?undo=secret');
  const name = 'Restore your email';
  expect(await screen.findByRole('heading', { level: 1, name })).toBeVisible();
  expect(document.title).toBe(`${name} · Couch & Moon`);
  await user.click(screen.getByRole('button', { name: 'Restore my old email address' }));
  await screen.findByRole('status');
  const after = 'Your old address is back';
  expect(screen.getByRole('heading', { level: 1, name: after })).toHaveFocus();
  expect(document.title).toBe(`${after} · Couch & Moon`);
});
