import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import words from '../../../../locales/en.json';
import { loadPage } from '../../loading/load-page';
import { ada, answer, config, networkError, ok, pendingResponse, refusal } from '../../testing/api';
import {
  ANSWER,
  BROWSER_CANCELLATIONS,
  OPTIONS,
  rejectWith,
  stubPasskeys,
} from '../../testing/authenticator';
import { type FailedCall, failures, noContent } from '../../testing/responses';
import { openSite, signIn } from '../../testing/site';
import '../password-reset/request-password';

vi.mock('../../loading/load-page');

const BUTTON = 'Sign in with a passkey';
const never = () => new Promise<never>(() => undefined);

beforeEach(() => void vi.mocked(loadPage).mockClear());

/** Opens the sign-in screen in a browser with passkeys. */
async function open({ autofill = false } = {}) {
  const authenticator = stubPasskeys({ autofill });
  const options = answer('post', '/passkeys/sign-in/options', () => ok(OPTIONS));
  // The stub rejects an aborted request of the autofill, as a browser does.
  const wait = async ({ signal }: CredentialRequestOptions) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
    });
  if (autofill) authenticator.get.mockImplementationOnce(wait);
  const user = await openSite('/', undefined, false);
  if (autofill) await waitFor(() => expect(authenticator.get).toHaveBeenCalledTimes(1));
  const press = async () => user.click(await screen.findByRole('button', { name: BUTTON }));
  return { ...authenticator, user, options, press, wait };
}

const mediations = (get: ReturnType<typeof stubPasskeys>['get']) =>
  get.mock.calls.map(([{ mediation }]) => mediation);

async function expectSignedIn() {
  expect(await screen.findByText('Signed in. Off we go…')).toBeVisible();
  await waitFor(() => expect(loadPage).toHaveBeenCalledWith('/'));
}

test('the passkey button signs in', async () => {
  const { press, get } = await open();
  const calls = answer('post', '/passkeys/sign-in', () => ok(ada));
  await press();
  await expectSignedIn();
  expect(calls.map(({ body }) => body)).toEqual([ANSWER]);
  expect(mediations(get)).toEqual([undefined]);
});

test('a passkey that is chosen in the autofill signs in', async () => {
  const { get, agree } = stubPasskeys({ autofill: true });
  answer('post', '/passkeys/sign-in/options', () => ok(OPTIONS));
  answer('post', '/passkeys/sign-in', () => ok(ada));
  let choose: (credential: unknown) => void = () => undefined;
  get.mockImplementationOnce(() => new Promise((resolve) => (choose = resolve)));
  await openSite('/', undefined, false);
  expect(await screen.findByRole('textbox', { name: 'Email' })).toHaveAttribute(
    'autocomplete',
    'username webauthn',
  );
  await waitFor(() => expect(mediations(get)).toEqual(['conditional']));
  const chosen = await agree();
  await act(async () => choose(chosen));
  await expectSignedIn();
});

test('the autofill asks for no passkey while the screen looks for a session', async () => {
  const { get } = stubPasskeys({ autofill: true });
  get.mockImplementation(never);
  const options = answer('post', '/passkeys/sign-in/options', () => ok(OPTIONS));
  const session = pendingResponse();
  const searches = answer('get', '/users/me', () => session.response);
  await openSite('/');
  await waitFor(() => expect(searches).toHaveLength(1));
  expect(options).toHaveLength(0);
  session.arrive(refusal(401, 'unauthenticated', 'Please sign in first.'));
  await waitFor(() => expect(options).toHaveLength(1));
});

test('a browser without passkey support shows no button and sends no request', async () => {
  const options = answer('post', '/passkeys/sign-in/options', () => ok(OPTIONS));
  await openSite('/', undefined, false);
  expect(await screen.findByRole('button', { name: 'Sign in' })).toBeVisible();
  expect(screen.queryByRole('button', { name: BUTTON })).not.toBeInTheDocument();
  expect(options).toHaveLength(0);
});

test('a site without passkeys shows no button', async () => {
  stubPasskeys({ autofill: true });
  const passkeys = { enabled: false, offer: true };
  await openSite('/', { ...config, passkeys }, false);
  expect(screen.queryByRole('button', { name: BUTTON })).not.toBeInTheDocument();
});

test('the autofill is aborted before the button dialog opens and before a password is sent', async () => {
  const { press, get, user, wait } = await open({ autofill: true });
  const first = get.mock.calls[0]?.[0].signal;
  get.mockImplementationOnce(rejectWith('NotAllowedError')).mockImplementationOnce(wait);
  await press();
  expect(first?.aborted).toBe(true);
  // After the user has closed the dialog, a new request waits in the autofill.
  await waitFor(() => expect(mediations(get)).toEqual(['conditional', undefined, 'conditional']));
  const second = get.mock.calls[2]?.[0].signal;
  expect(second?.aborted).toBe(false);

  const login = pendingResponse();
  answer('post', '/login', () => login.response);
  await signIn(user);
  expect(second?.aborted).toBe(true);
  expect(screen.getByRole('button', { name: BUTTON })).toHaveAttribute('aria-disabled', 'true');
  login.arrive(ok(ada));
  await expectSignedIn();
});

test('after a passkey of the autofill was refused, the autofill waits again', async () => {
  const { get, agree } = stubPasskeys({ autofill: true });
  answer('post', '/passkeys/sign-in/options', () => ok(OPTIONS));
  answer('post', '/passkeys/sign-in', () => refusal(401, 'passkey_rejected', 'It is not valid.'));
  let choose: (credential: unknown) => void = () => undefined;
  get.mockImplementationOnce(() => new Promise((resolve) => (choose = resolve)));
  await openSite('/', undefined, false);
  await waitFor(() => expect(mediations(get)).toEqual(['conditional']));
  const chosen = await agree();
  get.mockImplementationOnce(() => new Promise(() => undefined));
  await act(async () => choose(chosen));
  expect(await screen.findByRole('alert')).toHaveTextContent('It is not valid.');
  await waitFor(() => expect(mediations(get)).toEqual(['conditional', 'conditional']));
});

test('leaving the screen aborts the autofill', async () => {
  const { get } = await open({ autofill: true });
  // The render is awaited, because the next screen first loads its script.
  await act(async () => {
    fireEvent.click(screen.getByRole('link', { name: 'Forgot password?' }));
  });
  expect(get.mock.calls[0]?.[0].signal?.aborted).toBe(true);
});

test('the autofill gets a new challenge before the old one expires', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  const { get, options, wait } = await open({ autofill: true });
  get.mockImplementationOnce(wait);
  await vi.advanceTimersByTimeAsync(0.9 * OPTIONS.publicKey.timeout);
  await waitFor(() => expect(mediations(get)).toEqual(['conditional', 'conditional']));
  expect(options).toHaveLength(2);
  vi.useRealTimers();
});

test.each<FailedCall>([
  [() => refusal(429, 'rate_limited', 'Slow down.'), 'Slow down.'],
  [networkError, 'We can’t reach the server.'],
])('a failed autofill is not shown, because the user requested nothing', async (fail) => {
  const { get } = stubPasskeys({ autofill: true });
  const options = answer('post', '/passkeys/sign-in/options', fail);
  await openSite('/', undefined, false);
  await waitFor(() => expect(options).toHaveLength(1));
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(get).not.toHaveBeenCalled();
});

test('while the browser dialog is open, the button is busy', async () => {
  const { press, get } = await open();
  get.mockImplementationOnce(never);
  await press();
  const busy = await screen.findByRole('button', { name: 'Waiting for your passkey…' });
  expect(busy).toHaveAttribute('aria-disabled', 'true');
  expect(busy).toHaveFocus();
});

test.each(BROWSER_CANCELLATIONS)('a cancelled dialog (%s) is not a failure', async (name) => {
  const { press, get } = await open();
  get.mockImplementationOnce(rejectWith(name));
  await press();
  expect(await screen.findByRole('status')).toHaveTextContent(words.sign_in.passkey_cancelled);
  expect(await screen.findByRole('button', { name: BUTTON })).toHaveFocus();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(loadPage).not.toHaveBeenCalled();
});

test('the message of a cancelled dialog goes with the next attempt', async () => {
  const { press, get } = await open();
  get.mockImplementationOnce(async () => null).mockImplementationOnce(never);
  await press();
  expect(await screen.findByRole('status')).toHaveTextContent(words.sign_in.passkey_cancelled);
  await press();
  await screen.findByRole('button', { name: 'Waiting for your passkey…' });
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
});

test('an assertion without a working toJSON is read from its members', async () => {
  const { press, get } = await open();
  const calls = answer('post', '/passkeys/sign-in', () => ok(ada));
  const bytes = (...values: number[]) => new Uint8Array(values).buffer;
  get.mockImplementationOnce(async () => ({
    id: '-_8',
    rawId: bytes(251, 255),
    type: 'public-key',
    get authenticatorAttachment() {
      throw new TypeError('Illegal invocation');
    },
    response: {
      clientDataJSON: bytes(123, 125),
      authenticatorData: new Uint8Array([0, 1, 2, 3]).subarray(1, 3),
      signature: bytes(3),
      userHandle: null,
    },
  }));
  await press();
  await expectSignedIn();
  const credential = {
    id: '-_8',
    rawId: '-_8',
    type: 'public-key',
    clientExtensionResults: {},
    response: { clientDataJSON: 'e30', authenticatorData: 'AQI', signature: 'Aw' },
  };
  expect(calls.map(({ body }) => body)).toEqual([{ state: 'ceremony', credential }]);
});

test('a thrown exception is not shown as a lost connection', async () => {
  const { press, get } = await open();
  get.mockImplementationOnce(async () => ({ id: 'x', type: 'public-key' }));
  await press();
  await expectAlert(words.error.passkey_rejected);
});

/** Expects an alert that mentions the passkey and not the password. */
async function expectAlert(sentence: string) {
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent(sentence);
  expect(alert).not.toHaveTextContent('Please check your email and password.');
  await waitFor(() => expect(alert).toHaveFocus());
  expect(await screen.findByRole('button', { name: BUTTON })).not.toHaveAttribute('aria-disabled');
  expect(loadPage).not.toHaveBeenCalled();
}

test.each(['SecurityError', 'NotSupportedError', 'InvalidStateError'])(
  'a %s of the browser is shown, not as a lost connection',
  async (name) => {
    const { press, get } = await open();
    get.mockImplementationOnce(rejectWith(name));
    await press();
    await expectAlert(
      name === 'InvalidStateError' ? 'already has a passkey' : 'This passkey didn’t work.',
    );
  },
);

/** Failed responses to the two requests of a sign-in with a passkey. */
const FAILURES: FailedCall[] = [
  [() => refusal(404, 'not_found', 'No passkeys here.'), 'No passkeys here.'],
  ...failures('This passkey didn’t work.'),
];

test.each(FAILURES)('refused options are shown', async (fail, sentence) => {
  const { press, get } = await open();
  answer('post', '/passkeys/sign-in/options', fail);
  await press();
  await expectAlert(sentence);
  expect(get).not.toHaveBeenCalled();
});

test.each<FailedCall>([
  [() => refusal(400, 'invalid_challenge', 'It took too long.'), 'It took too long.'],
  [() => refusal(401, 'passkey_rejected', 'It did not work.'), 'It did not work.'],
  [() => refusal(403, 'deletion_pending', 'It is being deleted.'), 'It is being deleted.'],
  ...FAILURES,
])('a passkey that is refused is shown', async (fail, sentence) => {
  const { press, signals } = await open();
  answer('post', '/passkeys/sign-in', fail);
  await press();
  await expectAlert(sentence);
  expect(signals.signalUnknownCredential).not.toHaveBeenCalled();
});

test('a policy that stops a passkey is shown as a status', async () => {
  const { press } = await open();
  answer('post', '/passkeys/sign-in', () => refusal(403, 'account_disabled', 'It is disabled.'));
  await press();
  expect(await screen.findByRole('status')).toHaveTextContent('It is disabled.');
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('an unknown passkey is reported to its provider', async () => {
  const { press, signals } = await open();
  answer('post', '/passkeys/sign-in', () => refusal(401, 'passkey_unknown', 'Unknown.'));
  await press();
  await expectAlert('Unknown.');
  expect(signals.signalUnknownCredential).toHaveBeenCalledWith({
    rpId: 'localhost',
    credentialId: 'credential',
  });
});

test('at the device limit signing one device out focuses the button', async () => {
  const { press, user } = await open();
  const laptop = {
    id: '1',
    name: 'Firefox · Windows',
    first_seen_at: '2026-01-02T03:04:05Z',
    last_used_at: new Date(Date.now()).toISOString(),
  };
  const full = { devices: [laptop], device_token: 'word' };
  answer('post', '/passkeys/sign-in', () =>
    refusal(403, 'too_many_devices', 'Too many devices.', {}, full),
  );
  await press();
  expect(await screen.findByRole('status')).toHaveTextContent('Too many devices.');
  answer('post', '/devices/sign-out', noContent);
  await user.click(screen.getByRole('button', { name: /^Sign out / }));
  expect(await screen.findByRole('status')).toHaveTextContent('You can sign in here now.');
  expect(screen.getByRole('button', { name: BUTTON })).toHaveFocus();
  answer('post', '/passkeys/sign-in', () => ok(ada));
  await user.keyboard('{Enter}');
  await expectSignedIn();
});
