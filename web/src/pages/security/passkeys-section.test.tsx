import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { answer, config, networkError, ok, pendingResponse, refusal } from '../../testing/api';
import {
  ANSWER,
  BROWSER_CANCELLATIONS,
  BROWSER_FAILURES,
  listOf,
  OPTIONS,
  passkey,
  rejectWith,
  SIGNAL,
  stubPasskeys,
} from '../../testing/authenticator';
import { type FailedCall, failures, unauthenticated } from '../../testing/responses';
import { openSite } from '../../testing/site';
import './security';

const ADD = 'Add a passkey';
const added = { ...passkey, id: '2', name: '1Password' };
const region = async () => within(await screen.findByRole('region', { name: 'Passkeys' }));
const heading = () => screen.getByRole('heading', { name: 'Passkeys' });

/** Opens the security screen of an account with one passkey. */
async function open() {
  const authenticator = stubPasskeys();
  answer('get', '/passkeys', () => listOf(passkey));
  answer('post', '/passkeys/options', () => ok(OPTIONS));
  const user = await openSite('/settings/security');
  await screen.findByText(passkey.name);
  const press = (name: string) => user.click(screen.getByRole('button', { name }));
  return { user, press, ...authenticator };
}

test('each passkey is listed with its kind and its last use', async () => {
  const { signals } = stubPasskeys();
  answer('get', '/passkeys', () =>
    listOf(
      passkey,
      { ...passkey, id: '2', name: 'YubiKey', synced: false, last_used_at: passkey.created_at },
      { ...passkey, id: '3', name: 'Elsewhere', this_site: false, site: 'example.com' },
    ),
  );
  await openSite('/settings/security');
  const [synced, bound, elsewhere] = await (await region()).findAllByRole('listitem');
  expect(synced).toHaveTextContent('Synced between your devices');
  expect(synced).toHaveTextContent('Added: ');
  expect(bound).toHaveTextContent('Only on one device');
  expect(bound).not.toHaveTextContent('Added: ');
  expect(elsewhere).toHaveTextContent('Works on example.com');
  expect(signals.signalAllAcceptedCredentials).toHaveBeenCalledWith({
    rpId: SIGNAL.rpId,
    userId: SIGNAL.userId,
    allAcceptedCredentialIds: SIGNAL.allAcceptedCredentialIds,
  });
});

test('an account without passkeys shows an empty list', async () => {
  stubPasskeys();
  answer('get', '/passkeys', () => listOf());
  await openSite('/settings/security');
  expect(await screen.findByText('You don’t have a passkey.')).toBeVisible();
  expect(screen.getByRole('button', { name: ADD })).toBeVisible();
});

test('a browser without passkey support shows the list and explains the missing button', async () => {
  answer('get', '/passkeys', () => listOf(passkey));
  await openSite('/settings/security');
  expect(await screen.findByText(passkey.name)).toBeVisible();
  expect(screen.getByText('This browser can’t add passkeys. Try another one.')).toBeVisible();
  expect(screen.queryByRole('button', { name: ADD })).not.toBeInTheDocument();
});

test('a site without passkeys does not mention them', async () => {
  await openSite('/settings/security', { ...config, passkeys: { enabled: false, offer: true } });
  expect(await screen.findByRole('link', { name: 'Recent activity' })).toBeVisible();
  expect(screen.queryByRole('heading', { name: 'Passkeys' })).not.toBeInTheDocument();
});

test('a passkey is added to the list, and the heading gets the focus', async () => {
  const { press, create } = await open();
  const calls = answer('post', '/passkeys', () => ok(added, 201));
  await press(ADD);
  expect(await screen.findByRole('status')).toHaveTextContent('Your passkey has been added.');
  expect(screen.getByText('1Password')).toBeVisible();
  expect(screen.getByText(/^Your account: 2 of 3 protections on/)).toBeVisible();
  expect(heading()).toHaveFocus();
  expect(create).toHaveBeenCalledExactlyOnceWith({ publicKey: OPTIONS.publicKey });
  expect(calls.map(({ body }) => body)).toEqual([ANSWER]);
});

const FAILURES = failures('That didn’t work. Please try again.');

async function expectAlert(sentence: string) {
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent(sentence);
  await waitFor(() => expect(alert).toHaveFocus());
  expect(screen.getByText(passkey.name)).toBeVisible();
  expect(screen.getByRole('button', { name: ADD })).not.toHaveAttribute('aria-disabled');
}

test.each<FailedCall>([
  [() => refusal(409, 'too_many_passkeys', 'One too many.'), 'One too many.'],
  ...FAILURES,
])('refused options are shown', async (fail, sentence) => {
  const { press, create } = await open();
  answer('post', '/passkeys/options', fail);
  await press(ADD);
  await expectAlert(sentence);
  expect(create).not.toHaveBeenCalled();
});

test.each<FailedCall>([
  [() => refusal(400, 'invalid_challenge', 'It took too long.'), 'It took too long.'],
  [() => refusal(409, 'passkey_exists', 'It belongs to somebody.'), 'It belongs to somebody.'],
  [() => refusal(422, 'passkey_rejected', 'It did not work.'), 'It did not work.'],
  ...FAILURES,
])('a passkey that is refused is shown', async (fail, sentence) => {
  const { press } = await open();
  answer('post', '/passkeys', fail);
  await press(ADD);
  await expectAlert(sentence);
});

test.each<[string, () => Response, boolean]>([
  ['the server refused', () => refusal(422, 'passkey_rejected', 'No.'), true],
  ['the session had ended', unauthenticated, true],
  ['the server was not reached', networkError, false],
  ['the server failed', () => refusal(503, 'unavailable', 'A short break.'), false],
  ['it exists already', () => refusal(409, 'passkey_exists', 'Taken.'), false],
])('a new passkey that %s is withdrawn if no account has it', async (_, fail, withdrawn) => {
  const { press, signals } = await open();
  const calls = answer('post', '/passkeys', fail);
  await press(ADD);
  await waitFor(() => expect(calls).toHaveLength(1));
  const credential = { rpId: 'localhost', credentialId: 'credential' };
  await waitFor(() =>
    expect(signals.signalUnknownCredential.mock.calls).toEqual(withdrawn ? [[credential]] : []),
  );
});

test('a new passkey without a working toJSON is read from its members', async () => {
  const { press, create } = await open();
  const calls = answer('post', '/passkeys', () => ok(added, 201));
  const members = {
    id: 'AQ',
    rawId: new Uint8Array([1]).buffer,
    type: 'public-key',
    response: {
      clientDataJSON: new Uint8Array([2]).buffer,
      attestationObject: new Uint8Array([3]).buffer,
      getTransports: () => ['internal'],
    },
    getClientExtensionResults: () => ({}),
    toJSON() {
      throw new TypeError('Illegal invocation');
    },
  };
  create.mockImplementationOnce(async () => members);
  await press(ADD);
  expect(await screen.findByRole('status')).toHaveTextContent('Your passkey has been added.');
  const response = { clientDataJSON: 'Ag', attestationObject: 'Aw', transports: ['internal'] };
  const credential = {
    id: 'AQ',
    rawId: 'AQ',
    type: 'public-key',
    clientExtensionResults: {},
    response,
  };
  expect(calls.map(({ body }) => body)).toEqual([{ state: 'ceremony', credential }]);
});

test.each(BROWSER_FAILURES)(
  'a %s of the browser is shown, not as a lost connection',
  async (name, sentence) => {
    const { press, create } = await open();
    create.mockImplementation(rejectWith(name));
    await press(ADD);
    await expectAlert(sentence);
  },
);

test.each(BROWSER_CANCELLATIONS)(
  'a cancelled browser dialog (%s) is not a failure',
  async (name) => {
    const { press, create } = await open();
    create.mockImplementation(rejectWith(name));
    await press(ADD);
    expect(await screen.findByRole('button', { name: ADD })).toHaveFocus();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
    expect(screen.getByRole('status')).toHaveTextContent('No passkey was added.');
  },
);

/** Clicks "Remove", and then the button `yes` in the dialog that asks for a confirmation. */
async function remove({ user, press }: Awaited<ReturnType<typeof open>>, yes = 'Remove') {
  await press('Remove iCloud Keychain');
  const question = within(screen.getByRole('dialog', { name: 'Remove iCloud Keychain?' }));
  await user.click(question.getByRole('button', { name: yes }));
}

test('a passkey is removed after a confirmation and reported to its provider', async () => {
  const screens = await open();
  const calls = answer('delete', '/passkeys/1', () =>
    ok({ signal: { ...SIGNAL, allAcceptedCredentialIds: [] } }),
  );
  await remove(screens, 'Cancel');
  expect(calls).toHaveLength(0);
  await remove(screens);
  expect(await screen.findByRole('status')).toHaveTextContent('The passkey has been removed.');
  expect(screen.getByText('You don’t have a passkey.')).toBeVisible();
  expect(heading()).toHaveFocus();
  expect(calls).toHaveLength(1);
  expect(screens.signals.signalAllAcceptedCredentials).toHaveBeenLastCalledWith(
    expect.objectContaining({ allAcceptedCredentialIds: [] }),
  );
  // After a passkey was removed, the browser does not offer a new passkey for some time.
  expect(document.cookie).toContain('account_passkey_offer=later');
});

test.each<FailedCall>([
  [() => refusal(404, 'not_found', 'It is gone already.'), 'It is gone already.'],
  ...FAILURES,
])('a failed removal is shown, and the passkey stays', async (fail, sentence) => {
  const screens = await open();
  answer('delete', '/passkeys/1', fail);
  await remove(screens);
  await expectAlert(sentence);
});

test('during a removal its button is busy, and no other change can start', async () => {
  const screens = await open();
  const removal = pendingResponse();
  answer('delete', '/passkeys/1', () => removal.response);
  await remove(screens);
  const list = await region();
  expect(await list.findByText('Loading…')).toBeVisible();
  expect(screen.queryByText('Waiting for your device…')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: ADD })).toHaveAttribute('aria-disabled', 'true');
  removal.arrive(ok({ signal: { ...SIGNAL, allAcceptedCredentialIds: [] } }));
  expect(await screen.findByRole('status')).toHaveTextContent('The passkey has been removed.');
});

test('the next attempt removes the message', async () => {
  const screens = await open();
  answer('post', '/passkeys/options', networkError);
  await screens.press(ADD);
  await screen.findByRole('alert');
  answer('delete', '/passkeys/1', () => ok({ signal: SIGNAL }));
  await remove(screens);
  await screen.findByRole('status');
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

/** Opens the form of the passkey, replaces its name and saves. */
async function rename({ user, press }: Awaited<ReturnType<typeof open>>, name: string) {
  await press('Rename iCloud Keychain');
  const field = screen.getByRole('textbox', { name: 'Name' });
  expect(field).toHaveFocus();
  expect(field).toHaveValue('iCloud Keychain');
  await user.clear(field);
  if (name) await user.type(field, name);
  await press('Save');
  return field;
}

test('a passkey can be renamed', async () => {
  const screens = await open();
  const calls = answer('patch', '/passkeys/1', () => ok({ ...passkey, name: 'My phone' }));
  await rename(screens, ' My phone ');
  expect(await screen.findByText('My phone')).toBeVisible();
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Rename My phone' })).toHaveFocus(),
  );
  expect(calls.map(({ body }) => body)).toEqual([{ name: 'My phone' }]);
});

test('cancelling the rename keeps the name', async () => {
  const { user, press } = await open();
  await press('Rename iCloud Keychain');
  await user.type(screen.getByRole('textbox', { name: 'Name' }), '!');
  const form = screen.getByRole('textbox', { name: 'Name' }).closest('form') as HTMLElement;
  await user.click(within(form).getByRole('button', { name: 'Cancel' }));
  expect(screen.getByText('iCloud Keychain')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Rename iCloud Keychain' })).toHaveFocus();
});

test('a rename that is being saved is not cancelled', async () => {
  const screens = await open();
  const { response, arrive } = pendingResponse();
  answer('patch', '/passkeys/1', () => response);
  const field = await rename(screens, 'My phone');
  const form = field.closest('form') as HTMLElement;
  await screens.user.click(within(form).getByRole('button', { name: 'Cancel' }));
  arrive(ok({ ...passkey, name: 'My phone' }));
  expect(await screen.findByText('My phone')).toBeVisible();
});

test.each([['   '], [''], ['x'.repeat(61)]])('the name "%s" is not sent', async (name) => {
  const screens = await open();
  const calls = answer('patch', '/passkeys/1', () => ok(passkey));
  const field = await rename(screens, name);
  expect(field).toHaveAccessibleDescription('Please enter a name of 1 to 60 characters');
  expect(screen.getByRole('alert')).toHaveTextContent('Please enter a name of 1 to 60 characters');
  expect(field).toHaveFocus();
  expect(calls).toHaveLength(0);
});

test('a name of 60 characters outside of the basic plane is sent', async () => {
  const screens = await open();
  const name = '🛋'.repeat(60);
  const calls = answer('patch', '/passkeys/1', () => ok({ ...passkey, name }));
  await rename(screens, name);
  await waitFor(() => expect(calls.map(({ body }) => body)).toEqual([{ name }]));
});

test.each<FailedCall>([
  [() => refusal(422, 'passkey_name', 'Not this name.'), 'Not this name.'],
  [() => refusal(404, 'not_found', 'It is gone already.'), 'It is gone already.'],
  ...failures('The name couldn’t be saved.'),
])('a name that could not be saved stays in the form', async (fail, sentence) => {
  const screens = await open();
  answer('patch', '/passkeys/1', fail);
  const field = await rename(screens, 'My phone');
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent(sentence);
  await waitFor(() => expect(alert).toHaveFocus());
  expect(field).toHaveValue('My phone');
});

test('a rename after the session ended redirects to the sign-in', async () => {
  const screens = await open();
  answer('patch', '/passkeys/1', unauthenticated);
  await rename(screens, 'My phone');
  await waitFor(() => expect(location.pathname).toBe('/account/'));
});
