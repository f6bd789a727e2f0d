import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import words from '../../../../locales/en.json';
import type { Config } from '../../api/config';
import { loadPage } from '../../loading/load-page';
import { ada, answer, config, ok, pendingResponse, refusal } from '../../testing/api';
import { OPTIONS, stubPasskeys } from '../../testing/authenticator';
import { noContent } from '../../testing/responses';
import { openSite, reloadSite, signIn } from '../../testing/site';
// The lazy screen is imported before the tests, so that no test waits for the import.
import '../undo/second-factor-reset';
import './code-screen';

vi.mock('../../loading/load-page');

const PHONE = {
  id: '1',
  name: 'Safari · iPhone',
  first_seen_at: new Date(1).toISOString(),
  last_used_at: new Date(2).toISOString(),
};
const tooManyDevices = () => {
  const body = { devices: [PHONE], device_token: 'word' };
  return refusal(403, 'too_many_devices', 'Too many devices.', {}, body);
};
const METHODS = ['totp', 'recovery_code'];

const required = (token: string, more: object = {}) => {
  const body = { second_factor_token: token, methods: METHODS, ...more };
  return refusal(403, 'second_factor_required', 'A code.', {}, body);
};

let logins: unknown[];

beforeEach(() => {
  let attempts = 0;
  logins = answer('post', '/login', () => {
    attempts += 1;
    return required(`token ${attempts}`);
  });
});

async function enterPassword(host: Config = config): Promise<UserEvent> {
  const user = await openSite('/', host, false);
  await signIn(user);
  await screen.findByRole('heading', { level: 1, name: 'Enter your code' });
  return user;
}

const trusting = (second_factor_trust_days: number): Config => ({
  ...config,
  security: { ...config.security, second_factor_trust_days },
});
const field = () => screen.getByRole('textbox', { name: 'Code' });
const button = (name: string) => screen.getByRole('button', { name });

test('after the right password the code is asked for, with the focus in its field', async () => {
  await enterPassword();
  await waitFor(() => expect(field()).toHaveFocus());
  expect(field()).toHaveAttribute('inputmode', 'numeric');
  expect(field()).toHaveAttribute('autocomplete', 'one-time-code');
  expect(field()).toHaveAccessibleDescription(/six-digit code/);
  expect(document.title).toBe('Enter your code · Couch & Moon');
  expect(screen.queryByLabelText('Password')).not.toBeInTheDocument();
});

test('after a reload the form is filled in with the address and says why it is there', async () => {
  const user = await enterPassword();
  await user.click(screen.getByRole('link', { name: 'I can’t get a code' }));
  await screen.findByRole('heading', { level: 1, name: 'Can’t get a code?' });
  expect(JSON.stringify(history.state)).not.toContain('token');
  await reloadSite();
  expect(await screen.findByRole('status')).toHaveTextContent('Sign in again to continue.');
  expect(screen.getByLabelText('Email')).toHaveValue('ada@example.com');
  expect(screen.getByLabelText('Password')).toHaveValue('');
});

test('a pasted code is sent without its space, by Enter, and signs in', async () => {
  const calls = answer('post', '/login/second-factor', () => ok(ada));
  const user = await enterPassword();
  await waitFor(() => expect(field()).toHaveFocus());
  await user.paste('123 456');
  expect(calls).toHaveLength(0);
  await user.keyboard('{Enter}');
  expect(await screen.findByRole('status')).toHaveTextContent('Signed in.');
  expect(calls.map(({ body }) => body)).toEqual([
    { token: 'token 1', code: '123456', trust_device: false },
  ]);
  expect(loadPage).toHaveBeenCalledExactlyOnceWith('/');
});

test('the device is trusted if the checkbox is ticked', async () => {
  const calls = answer('post', '/login/second-factor', () => ok(ada));
  const user = await enterPassword();
  await user.click(screen.getByLabelText('Don’t ask again on this device for 30 days'));
  await user.type(field(), '123456');
  await user.click(button('Continue'));
  await waitFor(() => expect(calls[0]?.body).toMatchObject({ trust_device: true }));
});

test('a site that trusts no device does not offer it', async () => {
  await enterPassword(trusting(0));
  expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
});

test('a trust of one day is shown in the singular', async () => {
  await enterPassword(trusting(1));
  expect(screen.getByLabelText('Don’t ask again on this device for 1 day')).toBeVisible();
});

test('a recovery code has its own field and a link back', async () => {
  const calls = answer('post', '/login/second-factor', () => ok(ada));
  const user = await enterPassword();
  await user.click(button('Use a recovery code'));
  const recovery = screen.getByRole('textbox', { name: 'Recovery code' });
  await waitFor(() => expect(recovery).toHaveFocus());
  expect(recovery).not.toHaveAttribute('inputmode');
  await user.click(button('Use your authenticator app'));
  await waitFor(() => expect(field()).toHaveFocus());

  await user.click(button('Use a recovery code'));
  await user.keyboard('7k3m-q2xw-9r4t-hb5c{Enter}');
  await waitFor(() => expect(calls[0]?.body).toMatchObject({ code: '7k3mq2xw9r4thb5c' }));
});

test('an account without recovery codes is not offered to use one', async () => {
  answer('post', '/login', () => required('token', { methods: ['totp'] }));
  await enterPassword();
  expect(screen.queryByRole('button', { name: 'Use a recovery code' })).not.toBeInTheDocument();
});

test('a malformed code is shown at the field and costs no attempt', async () => {
  const calls = answer('post', '/login/second-factor', () => ok(ada));
  const user = await enterPassword();
  await user.click(button('Continue'));
  expect(field()).toHaveAccessibleDescription(/Please fill in this field/);
  await user.type(field(), '12345{Enter}');
  expect(field()).toBeInvalid();
  expect(field()).toHaveFocus();
  expect(calls).toHaveLength(0);
});

test.each(['code_invalid', 'code_reused'] as const)('%s is shown at the field', async (code) => {
  answer('post', '/login/second-factor', () => refusal(401, code, 'No.'));
  const user = await enterPassword();
  await user.type(field(), '123456{Enter}');
  await waitFor(() => expect(field()).toBeInvalid());
  expect(field()).toHaveFocus();
  expect(screen.getByRole('alert')).toHaveTextContent(words.error[code]);
});

test('a refused recovery code may have been used before', async () => {
  answer('post', '/login/second-factor', () => refusal(401, 'code_invalid', 'No.'));
  const user = await enterPassword();
  await user.click(button('Use a recovery code'));
  await user.keyboard('7k3m-q2xw-9r4t-hb5c{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent(words.sign_in.recovery_refused);
});

test('too many attempts show a message above the form, which stays', async () => {
  const headers = { 'Retry-After': '300' };
  answer('post', '/login/second-factor', () => refusal(429, 'rate_limited', 'Wait.', headers));
  const user = await enterPassword();
  await user.type(field(), '123456{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('Please wait 5 minutes');
  expect(field()).toHaveValue('123456');
});

test('an expired code step returns to the password form, which is still filled in', async () => {
  answer('post', '/login/second-factor', () => refusal(400, 'invalid_token', 'Expired.'));
  const user = await enterPassword();
  await user.type(field(), '123456{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('Please sign in again.');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Sign in');
  expect(screen.getByRole('textbox', { name: 'Email' })).toHaveValue('ada@example.com');
  expect(screen.getByLabelText('Password')).toHaveValue('Abcde1');

  expect(screen.queryByText(/check your email/)).not.toBeInTheDocument();

  answer('post', '/login', () => refusal(401, 'invalid_credentials', 'No.'));
  await user.click(button('Sign in'));
  expect(await screen.findByText(/check your email/)).toBeVisible();
  expect(screen.getAllByRole('alert')).toHaveLength(1);

  answer('post', '/login', () => ok(ada));
  await user.click(button('Sign in'));
  expect(await screen.findByRole('status')).toHaveTextContent('Signed in.');
});

test('at the device limit signing one device out repeats the sign-in for another code', async () => {
  const codes = answer('post', '/login/second-factor', tooManyDevices);
  const freed = answer('post', '/devices/sign-out', noContent);
  const user = await enterPassword();
  await user.type(field(), '123456{Enter}');
  const status = await screen.findByRole('status');
  expect(status).toHaveTextContent('Too many devices.');
  expect(status.parentElement).toHaveFocus();
  await user.click(within(screen.getByRole('list')).getByRole('button'));
  expect(await screen.findByRole('status')).toHaveTextContent(
    'Safari · iPhone has been signed out. Enter a new code to sign in here.',
  );
  expect(freed.map(({ body }) => body)).toEqual([{ id: '1', token: 'word' }]);
  expect(screen.queryByRole('list')).not.toBeInTheDocument();
  expect(field()).toHaveValue('');
  expect(field()).toHaveFocus();
  await waitFor(() => expect(logins).toHaveLength(2));

  answer('post', '/login/second-factor', () => ok(ada));
  await user.type(field(), '654321{Enter}');
  await waitFor(() => expect(screen.getByRole('heading', { name: 'You’re in!' })).toBeVisible());
  expect(codes).toHaveLength(1);
});

const heading = (name: string) => screen.findByRole('heading', { level: 1, name });

/** Enters the password, and opens the screen with the other ways to sign in. */
async function openNoCode(): Promise<UserEvent> {
  const user = await enterPassword();
  await user.click(screen.getByRole('link', { name: 'I can’t get a code' }));
  expect(await heading('Can’t get a code?')).toHaveFocus();
  return user;
}

test('a reset is requested after an explanation, and its date and cancellation are shown', async () => {
  const calls = answer('post', '/second-factor/reset', () =>
    ok({ at: '2027-05-04T12:00:00Z' }, 202),
  );
  const user = await openNoCode();
  expect(screen.getByText(/It takes 7 days, so that you can stop it/)).toBeVisible();
  expect(calls).toHaveLength(0);
  await user.click(button('Start the 7-day reset'));
  expect(await heading('Help is on its way')).toHaveFocus();
  expect(screen.getByRole('status')).toHaveTextContent('On May 4, 2027 you can turn off');
  expect(screen.getByText(/both emails have a link that stops it/)).toBeVisible();
  expect(calls.map(({ body }) => body)).toEqual([{ token: 'token 1' }]);
  await reloadSite();
  expect(screen.getByRole('status')).toHaveTextContent('On May 4, 2027 you can turn off');
  expect(JSON.stringify(history.state)).not.toContain('token 1');
  await user.click(screen.getByRole('link', { name: 'Go to sign in' }));
  expect(await heading('Sign in')).toBeVisible();
});

test('a running reset is not offered again, and its date is shown', async () => {
  answer('post', '/login', () => required('token', { reset_at: '2027-05-04T12:00:00Z' }));
  await openNoCode();
  expect(screen.getByText(/On May 4, 2027 we’ll email you a link/)).toBeVisible();
  expect(screen.queryByRole('button', { name: /reset/ })).not.toBeInTheDocument();
});

test('a failed request of a reset can be repeated, and an expired one leads to the password', async () => {
  answer('post', '/second-factor/reset', () => refusal(503, 'unavailable', 'A short break.'));
  const user = await openNoCode();
  await user.click(button('Start the 7-day reset'));
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('A short break.');
  expect(alert).toHaveFocus();
  answer('post', '/second-factor/reset', () => refusal(400, 'invalid_token', 'Expired.'));
  await user.click(button('Start the 7-day reset'));
  expect(await heading('Sign in')).toBeVisible();
  expect(screen.getByRole('alert')).toHaveTextContent('Please sign in again.');
});

test('the other ways are a passkey, if there is one, and a recovery code', async () => {
  const user = await openNoCode();
  expect(screen.queryByRole('button', { name: 'Sign in with a passkey' })).not.toBeInTheDocument();
  await user.click(button('Use a recovery code'));
  const recovery = await screen.findByRole('textbox', { name: 'Recovery code' });
  expect(recovery).toHaveFocus();
});

test('a passkey signs in without a code', async () => {
  answer('post', '/login', () => required('token', { passkey: true }));
  stubPasskeys({ autofill: false });
  answer('post', '/passkeys/sign-in/options', () => ok(OPTIONS));
  answer('post', '/passkeys/sign-in', () => refusal(503, 'unavailable', 'A short break.'));
  const user = await openNoCode();
  await user.click(button('Sign in with a passkey'));
  expect(await screen.findByRole('alert')).toHaveTextContent('A short break.');
  answer('post', '/passkeys/sign-in', () => ok(ada));
  await user.click(button('Sign in with a passkey'));
  expect(await screen.findByRole('status')).toHaveTextContent('Signed in.');
});

test('at the device limit a passkey signs in after a device was signed out', async () => {
  answer('post', '/login', () => required('token', { passkey: true }));
  stubPasskeys({ autofill: false });
  answer('post', '/passkeys/sign-in/options', () => ok(OPTIONS));
  answer('post', '/passkeys/sign-in', tooManyDevices);
  answer('post', '/devices/sign-out', noContent);
  const user = await openNoCode();
  await user.click(button('Sign in with a passkey'));
  await user.click(within(await screen.findByRole('list')).getByRole('button'));
  expect(await screen.findByRole('status')).toHaveTextContent(
    'Safari · iPhone has been signed out. You can sign in here now.',
  );
  expect(button('Sign in with a passkey')).toHaveFocus();
});

test('the Back button and the link lead to the code and to the password', async () => {
  const user = await openNoCode();
  history.back();
  expect(await heading('Enter your code')).toBeVisible();
  expect(field()).toHaveFocus();
  history.back();
  expect(await heading('Sign in')).toHaveFocus();
  expect(screen.getByRole('textbox', { name: 'Email' })).toHaveValue('ada@example.com');
  expect(history.state).not.toHaveProperty('codeView');

  await user.click(button('Sign in'));
  await heading('Enter your code');
  await user.click(screen.getByRole('link', { name: 'I can’t get a code' }));
  await user.click(screen.getByRole('link', { name: 'Back to Sign In' }));
  expect(await heading('Sign in')).toHaveFocus();
  expect(history.state).not.toHaveProperty('codeView');
});

test('the way back from the code needs no explanation, and a corrected email fills in the next form', async () => {
  const user = await enterPassword();
  await user.click(screen.getByRole('link', { name: 'Back to Sign In' }));
  await screen.findByRole('heading', { level: 1, name: 'Sign in' });
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
  const email = screen.getByRole('textbox', { name: 'Email' });
  await user.clear(email);
  await user.type(email, 'eva@example.com');
  await user.click(screen.getByRole('link', { name: 'Forgot password?' }));
  await screen.findByRole('button', { name: 'Send reset link' });
  expect(screen.getByRole('textbox', { name: 'Email' })).toHaveValue('eva@example.com');
});

test('the buttons and the links are inactive while the code is verified', async () => {
  const login = pendingResponse();
  answer('post', '/login/second-factor', () => login.response);
  const user = await enterPassword();
  await user.type(field(), '123456{Enter}');
  expect(await screen.findByRole('button', { name: 'Checking…' })).toHaveAttribute('aria-disabled');
  await user.click(button('Use a recovery code'));
  await user.click(screen.getByRole('link', { name: 'I can’t get a code' }));
  await user.click(screen.getByRole('link', { name: 'Back to Sign In' }));
  expect(field()).toHaveValue('123456');
  login.arrive(ok(ada));
  expect(await screen.findByRole('status')).toHaveTextContent('Signed in.');
});

test('while the reset of the second factor is requested, the other ways are inactive', async () => {
  answer('post', '/login', () => required('token', { passkey: true }));
  const { get } = stubPasskeys();
  const reset = pendingResponse();
  answer('post', '/second-factor/reset', () => reset.response);
  const user = await openNoCode();
  await user.click(button('Start the 7-day reset'));
  await user.click(button('Sign in with a passkey'));
  await user.click(button('Use a recovery code'));
  await user.click(screen.getByRole('link', { name: 'Back to Sign In' }));
  reset.arrive(ok({ at: '2027-05-04T12:00:00Z' }, 202));
  expect(await screen.findByText(/May 4, 2027/)).toBeVisible();
  expect(get).not.toHaveBeenCalled();
});
