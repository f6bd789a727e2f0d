import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { answer, config, ok, pendingResponse, refusal, security } from '../../testing/api';
import { askForProof, noContent } from '../../testing/responses';
import { openSite } from '../../testing/site';
// The lazy screens are imported before the tests, so that no test waits for an import.
import '../../features/reauthentication/reauthentication-dialog';
import '../../features/second-factor/pending-codes';
import '../two-step/two-step';
import './security';

const host = { ...config, passkeys: { enabled: false, offer: false } };
const on = { ...security, second_factor: true, recovery_codes_left: 10 };
const unproved = () => askForProof('password', 'totp');

beforeEach(() => {
  answer('get', '/security', () => ok(on));
});

async function open() {
  const user = await openSite('/settings/security', host);
  const region = await screen.findByRole('region', { name: 'Two-step verification' });
  const button = (name: string) => within(region).findByRole('button', { name });
  return { user, region, button };
}

/** Clicks "New recovery codes" and confirms the question. */
async function replaceCodes(user: UserEvent, button: (name: string) => Promise<HTMLElement>) {
  await user.click(await button('New recovery codes'));
  const question = screen.getByRole('dialog', { name: 'Replace your 10 recovery codes?' });
  expect(question).toHaveAccessibleDescription(/old codes work until you have saved/);
  await user.click(within(question).getByRole('button', { name: 'Make new codes' }));
}

const CODES = ['AAAA-BBBB-CCCC-DDDD', 'EEEE-FFFF-GGGG-HHHH'];

/** Requests new recovery codes, so that the screen shows them. */
async function openNewCodes() {
  const made = answer('post', '/second-factor/recovery-codes', () => ok({ recovery_codes: CODES }));
  const { user, button } = await open();
  await replaceCodes(user, button);
  await screen.findByRole('heading', { level: 1, name: 'Your recovery codes' });
  return { user, made };
}

/** Returns whether the browser would ask before the user leaves the page. */
const asksBeforeLeaving = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }));

test('while it is off, a button opens the set-up', async () => {
  answer('get', '/security', () => ok(security));
  answer('post', '/second-factor/totp', () => pendingResponse().response);
  const { region, button } = await open();
  expect(await within(region).findByText('Off')).toBeVisible();
  const turnOn = await button('Turn on');
  // The render is awaited, because a screen first loads its module.
  await act(async () => {
    fireEvent.click(turnOn);
  });
  await waitFor(() => expect(location.pathname).toBe('/account/settings/security/two-step'));
});

test.each([
  [10, 'You have 10 recovery codes left.'],
  [3, 'You have 3 recovery codes left. Make new ones before you run out.'],
  [1, 'You have 1 recovery code left. Make new ones before you run out.'],
  [0, 'You have no recovery codes left. Make new ones now, in case your phone gets lost.'],
])('with %i recovery codes one reads "%s"', async (recovery_codes_left, text) => {
  answer('get', '/security', () => ok({ ...on, recovery_codes_left }));
  const { region } = await open();
  expect(await within(region).findByText('On')).toBeVisible();
  expect(within(region).getByText(text)).toBeVisible();
  expect(within(region).getByText(/^New phone\? Turn two-step verification off/)).toBeVisible();
});

test('turning it off requires a confirmation, the password and a code', async () => {
  const calls = answer('delete', '/second-factor', unproved, noContent);
  const proofs = answer('post', '/reauthenticate', noContent);
  const { user, region, button } = await open();
  await user.click(await button('Turn off'));
  const question = screen.getByRole('dialog', { name: 'Turn off two-step verification?' });
  await user.click(within(question).getByRole('button', { name: 'Turn off' }));

  const dialog = await screen.findByRole('dialog', { name: 'Confirm it’s you' });
  await user.type(within(dialog).getByLabelText('Password'), 'Abcde1');
  const code = within(dialog).getByRole('textbox', { name: 'Code' });
  expect(code).toHaveAccessibleDescription('From your authenticator app, or a recovery code.');
  // The field needs a keyboard with letters, so that a phone can type a recovery code.
  expect(code).toHaveAttribute('inputmode', 'text');
  answer('get', '/security', () => ok(security));
  await user.type(code, '123 456{Enter}');

  expect(await within(region).findByRole('status')).toHaveTextContent('verification is off.');
  expect(await button('Turn on')).toBeVisible();
  expect(within(region).getByRole('heading')).toHaveFocus();
  expect(proofs.map(({ body }) => body)).toEqual([{ password: 'Abcde1', code: '123456' }]);
  expect(calls).toHaveLength(2);
});

test('a wrong password or code is shown without naming which one', async () => {
  answer('post', '/second-factor/recovery-codes', unproved);
  answer('post', '/reauthenticate', () => refusal(401, 'reauthentication_failed', 'No.'));
  const { user, button } = await open();
  await replaceCodes(user, button);
  const dialog = await screen.findByRole('dialog', { name: 'Confirm it’s you' });
  await user.type(within(dialog).getByLabelText('Password'), 'Wrong1');
  await user.click(within(dialog).getByRole('button', { name: 'Continue' }));
  const code = within(dialog).getByRole('textbox', { name: 'Code' });
  expect(code).toBeInvalid();
  await user.type(code, '123456{Enter}');
  expect(await within(dialog).findByRole('alert')).toHaveTextContent(
    'The password or the code isn’t right.',
  );
});

test('new recovery codes replace the old ones when they are saved', async () => {
  const confirmed = answer('post', '/second-factor/recovery-codes/confirm', noContent);
  const { user, made } = await openNewCodes();
  expect(made.map(({ body }) => body)).toEqual([{ pending: true }]);
  expect(screen.getByRole('status')).toHaveTextContent(
    'Your old codes stop working when you press “I have saved them”.',
  );
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(CODES);
  // `waitFor`, because the warning is registered in an effect after the codes are rendered.
  await waitFor(() => expect(asksBeforeLeaving()).toBe(true));
  expect(confirmed).toHaveLength(0);
  await user.click(screen.getByRole('button', { name: 'I have saved them' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Security' })).toHaveFocus();
  const region = screen.getByRole('region', { name: 'Two-step verification' });
  expect(within(region).getByRole('status')).toHaveTextContent('The old ones don’t anymore.');
  expect(screen.queryByText('AAAA-BBBB-CCCC-DDDD')).not.toBeInTheDocument();
  expect(confirmed).toHaveLength(1);
  expect(asksBeforeLeaving()).toBe(false);
});

test('a cancelled question, or leaving the new codes, keeps the old codes', async () => {
  const { user, made } = await openNewCodes();
  const confirmed = answer('post', '/second-factor/recovery-codes/confirm', noContent);
  await user.click(screen.getByRole('button', { name: 'Keep the old codes' }));
  const newCodes = await screen.findByRole('button', { name: 'New recovery codes' });
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
  expect(asksBeforeLeaving()).toBe(false);
  await user.click(newCodes);
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(made).toHaveLength(1);
  expect(confirmed).toHaveLength(0);
});

test('codes whose confirmation fails stay on the screen', async () => {
  const { user } = await openNewCodes();
  const path = '/second-factor/recovery-codes/confirm';
  answer('post', path, () => refusal(503, 'unavailable', 'A short break.'));
  const saved = screen.getByRole('button', { name: 'I have saved them' });
  await user.click(saved);
  expect(await screen.findByRole('alert')).toHaveTextContent('A short break.');
  // `waitFor`, because the warning is registered in an effect after the codes are rendered.
  await waitFor(() => expect(asksBeforeLeaving()).toBe(true));
  answer('post', path, () => refusal(400, 'invalid_token', 'Too late.'));
  await user.click(saved);
  await waitFor(() => expect(screen.getByRole('alert')).toHaveTextContent('Please make new ones.'));
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
});

test('without old codes there is no question', async () => {
  answer('get', '/security', () => ok({ ...on, recovery_codes_left: 0 }));
  answer('post', '/second-factor/recovery-codes', () => ok({ recovery_codes: CODES }));
  const { user, button } = await open();
  await user.click(await button('New recovery codes'));
  expect(await screen.findByText('AAAA-BBBB-CCCC-DDDD')).toBeVisible();
});
