import { cleanup, screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ada, answer, config, networkError, ok, refusal, security } from '../../testing/api';
import {
  ANSWER,
  BROWSER_CANCELLATIONS,
  BROWSER_FAILURES,
  OPTIONS,
  passkey,
  rejectWith,
  stubPasskeys,
} from '../../testing/authenticator';
import { type FailedCall, failures, noContent } from '../../testing/responses';
import { openSite } from '../../testing/site';
import '../settings/settings';

const OFFER = 'Sign in faster next time';

beforeEach(() => {
  // biome-ignore lint/suspicious/noDocumentCookie: deletes the choice that the previous test saved
  document.cookie = 'account_passkey_offer=; Path=/; Max-Age=0';
  answer('get', '/users/me', () => ok(ada));
});

async function openOffer() {
  const authenticator = stubPasskeys();
  const user = await openSite('/settings');
  const card = within(await screen.findByRole('region', { name: OFFER }));
  const add = () => user.click(card.getByRole('button', { name: 'Add a passkey' }));
  return { user, card, add, ...authenticator };
}

async function expectNoOffer() {
  expect(await screen.findByText('ada1815')).toBeVisible();
  expect(screen.queryByRole('heading', { name: OFFER })).not.toBeInTheDocument();
}

test('nothing is offered to an account with a passkey of this site', async () => {
  stubPasskeys();
  answer('get', '/security', () => ok({ ...security, passkey_on_this_site: true }));
  await openSite('/settings');
  await expectNoOffer();
});

test.each([
  ['a site without passkeys', { enabled: false, offer: true }],
  ['a site that offers none', { enabled: true, offer: false }],
])('%s offers no passkey', async (_, passkeys) => {
  stubPasskeys();
  await openSite('/settings', { ...config, passkeys });
  await expectNoOffer();
});

test('a browser without passkey support is offered none', async () => {
  await openSite('/settings');
  await expectNoOffer();
});

test.each([
  ['refused', () => refusal(503, 'unavailable', 'A short break.')],
  ['offline', networkError],
])('the settings show no offer when the security settings are %s', async (_, make) => {
  stubPasskeys();
  answer('get', '/security', make);
  await openSite('/settings');
  await expectNoOffer();
});

test('an account without a passkey is offered one, and "Not now" is remembered for 90 days', async () => {
  const saved = vi.spyOn(document, 'cookie', 'set');
  const { user, card } = await openOffer();
  expect(screen.getByText('ada1815')).toBeVisible();
  expect(card.getByRole('button', { name: 'Not now' })).toBeVisible();
  await user.click(card.getByRole('button', { name: 'Not now' }));
  expect(screen.queryByRole('heading', { name: OFFER })).not.toBeInTheDocument();
  expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  expect(saved).toHaveBeenCalledWith(
    `account_passkey_offer=later; Path=/; Max-Age=${90 * 24 * 60 * 60}; SameSite=Lax`,
  );

  cleanup();
  await openSite('/settings');
  await expectNoOffer();
});

test('a passkey is added, and the card confirms it', async () => {
  answer('post', '/passkeys/options', () => ok(OPTIONS));
  const added = answer('post', '/passkeys', () => ok(passkey, 201));
  const { add } = await openOffer();
  await add();
  expect(await screen.findByRole('status')).toHaveTextContent('Your passkey has been added.');
  expect(screen.getByRole('heading', { name: OFFER })).toHaveFocus();
  expect(screen.queryByRole('button', { name: 'Not now' })).not.toBeInTheDocument();
  expect(added.map(({ body }) => body)).toEqual([ANSWER]);
});

test('an old session reauthenticates first', async () => {
  answer('post', '/passkeys', () => ok(passkey, 201));
  answer('post', '/passkeys/options', () =>
    refusal(403, 'reauthentication_required', 'Confirm it first.'),
  );
  const { user, add } = await openOffer();
  await add();
  const dialog = within(await screen.findByRole('dialog', { name: 'Confirm it’s you' }));
  await user.type(dialog.getByLabelText('Password'), 'Abcde1');
  answer('post', '/reauthenticate', noContent);
  answer('post', '/passkeys/options', () => ok(OPTIONS));
  await user.click(dialog.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByRole('status')).toHaveTextContent('Your passkey has been added.');
});

test.each<FailedCall>([
  [() => refusal(409, 'too_many_passkeys', 'One too many.'), 'One too many.'],
  ...failures('That didn’t work. Please try again.'),
])('a failure is shown in the card, which stays', async (fail, sentence) => {
  answer('post', '/passkeys/options', fail);
  const { card, add } = await openOffer();
  await add();
  const alert = await card.findByRole('alert');
  expect(alert).toHaveTextContent(sentence);
  expect(alert).toHaveFocus();
  expect(card.getByRole('button', { name: 'Add a passkey' })).not.toHaveAttribute('aria-disabled');
});

test.each(BROWSER_FAILURES)('a %s of the browser is shown', async (name, sentence) => {
  answer('post', '/passkeys/options', () => ok(OPTIONS));
  const { card, add, create } = await openOffer();
  create.mockImplementation(rejectWith(name));
  await add();
  expect(await card.findByRole('alert')).toHaveTextContent(sentence);
});

test.each(BROWSER_CANCELLATIONS)('a cancelled dialog (%s) keeps the card', async (name) => {
  answer('post', '/passkeys/options', () => ok(OPTIONS));
  const { card, add, create } = await openOffer();
  create.mockImplementation(rejectWith(name));
  await add();
  const button = await card.findByRole('button', { name: 'Add a passkey' });
  expect(button).toHaveFocus();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(card.getByRole('status')).toHaveTextContent('No passkey was added.');
});
