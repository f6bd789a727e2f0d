import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import words from '../../../../locales/en.json';
import { answer, ok, refusal } from '../../testing/api';
import { OPTIONS, stubPasskeys } from '../../testing/authenticator';
import { openSite, signIn } from '../../testing/site';
// The lazy screen is imported before the tests, so that no test waits for the import.
import './code-screen';

vi.mock('../../loading/load-page');

const { sign_in, second_factor, reauthentication } = words;
const blockCookies = () => vi.spyOn(document, 'cookie', 'get').mockReturnValue('');

/** Answers each request of a sign-in, and returns the requests. */
function answerSignIn() {
  const paths = [
    '/login',
    '/login/second-factor',
    '/passkeys/sign-in',
    '/passkeys/sign-in/options',
  ];
  return paths.map((path) => answer('post', path, () => ok(OPTIONS)));
}

/** The ways to sign in. Each way ends with the press that sends a request. */
const WAYS = {
  async password() {
    const user = await openSite('/', undefined, false);
    blockCookies();
    const calls = answerSignIn();
    await signIn(user);
    return calls;
  },
  async passkey() {
    stubPasskeys({ autofill: false });
    await openSite('/', undefined, false);
    blockCookies();
    const calls = answerSignIn();
    await userEvent.click(await screen.findByRole('button', { name: sign_in.passkey }));
    return calls;
  },
  async code() {
    const step = { second_factor_token: 'word', methods: ['totp'] };
    answer('post', '/login', () => refusal(401, 'second_factor_required', '', {}, step));
    const user = await openSite('/', undefined, false);
    await signIn(user);
    const code = await screen.findByRole('textbox', { name: second_factor.code });
    blockCookies();
    const calls = answerSignIn();
    await user.type(code, '123456');
    await user.click(screen.getByRole('button', { name: reauthentication.submit }));
    return calls;
  },
};

test.each(Object.entries(WAYS))(
  'a browser that blocks cookies gets a message and sends nothing: %s',
  async (_way, press) => {
    const calls = await press();
    expect(await screen.findByRole('alert')).toHaveTextContent(sign_in.cookies_blocked);
    expect(calls.flat()).toEqual([]);
  },
);

test('the check leaves no cookie', async () => {
  const user = await openSite('/', undefined, false);
  const [calls] = answerSignIn();
  await signIn(user);
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  expect(document.cookie).not.toContain('account_test');
});
