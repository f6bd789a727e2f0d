import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import words from '../../../../locales/en.json';
import { signalVerification } from '../../browser/verification-signal';
import { loadPage } from '../../loading/load-page';
import { ada, answer, config, networkError, ok, pendingResponse, refusal } from '../../testing/api';
import { unauthenticated } from '../../testing/responses';
import { expectActive, expectLink, openSite, reloadSite, signIn } from '../../testing/site';

// The lazy screens are imported before the tests, so that no test waits for an import.
import '../password-reset/request-password';
import '../sign-up/sign-up';

vi.mock('../../loading/load-page');
beforeEach(() => vi.mocked(loadPage).mockClear());
const FAILED = 'Sign-in failed. Please check your email and password.';

test('the title is "Loading" until the session request fails', async () => {
  const session = pendingResponse();
  answer('get', '/users/me', () => session.response);
  await openSite('/');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Loading…');
  session.arrive(unauthenticated());
  await waitFor(() =>
    expect(screen.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible(),
  );
  expectLink('Forgot password?', '/account/request-password');
  expect(screen.getByRole('heading', { name: 'New here?' })).toBeVisible();
  expectLink('Create account', '/account/signup');
});

test('without a session cookie the form is shown at once, without a session request', async () => {
  const calls = answer('get', '/users/me', () => ok(ada));
  await openSite('/', undefined, false);
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Sign in');
  expect(screen.getByRole('textbox', { name: 'Email' })).toBeVisible();
  expect(calls).toHaveLength(0);
});

test('a session redirects to the settings and replaces the history entry', async () => {
  answer('get', '/users/me', () => ok(ada));
  const before = history.length;
  await openSite('/');
  await waitFor(() =>
    expect(screen.getByRole('heading', { name: 'Account settings' })).toBeVisible(),
  );
  expect(location.pathname).toBe('/account/settings');
  expect(history.length).toBe(before);
});

const continued = {
  ...config,
  signing_in_to: 'Couch Wiki',
  signed_in_home: '/account/oidc/authorize?continue=t.s',
};

test('a sign-in for another application names it and continues to it', async () => {
  answer('post', '/login', () => ok(ada));
  const user = await openSite('/?continue=t.s', continued, false);
  expect(screen.getByText('Sign in to continue to Couch Wiki')).toBeVisible();
  await signIn(user, 'ada@example.com', 'Sunny-Couch-42');
  await waitFor(() => expect(loadPage).toHaveBeenCalledWith(continued.signed_in_home));
});

test('a sign-in for a page of this site says why, unless the previous page has passed a notice', async () => {
  const ownPage = { ...config, signed_in_home: continued.signed_in_home };
  const { sign_in } = words;
  await openSite('/?continue=t.s', ownPage, false);
  expect(screen.getByRole('status')).toHaveTextContent(sign_in.session_needed);
  cleanup();
  await openSite('/?continue=t.s&signed_out', ownPage, false);
  expect(screen.getByRole('status')).toHaveTextContent(sign_in.signed_out);
});

test('the address that the application expects is filled in, and its app value is sent', async () => {
  const calls = answer('post', '/login', () => ok(ada));
  const wishes = { ...continued, app: 'couch-wiki', login_hint: 'ada@example.com' };
  const user = await openSite('/?continue=t.s', wishes, false);
  expect(screen.getByRole('textbox', { name: 'Email' })).toHaveValue('ada@example.com');
  await signIn(user, '', 'Sunny-Couch-42');
  await waitFor(() => expect(loadPage).toHaveBeenCalledWith(continued.signed_in_home));
  expect(calls[0]?.body).toEqual({
    email: 'ada@example.com',
    password: 'Sunny-Couch-42',
    app: 'couch-wiki',
  });
});

test('the expected address can be replaced', async () => {
  const calls = answer('post', '/login', () => ok(ada));
  const user = await openSite(
    '/?continue=t.s',
    { ...continued, login_hint: 'eve@example.com' },
    false,
  );
  const email = screen.getByRole('textbox', { name: 'Email' });
  await user.clear(email);
  expect(email).toHaveValue('');
  await signIn(user, 'ada@example.com', 'Sunny-Couch-42');
  await waitFor(() => expect(calls[0]?.body).toMatchObject({ email: 'ada@example.com' }));
});

test('with a session the screen continues to the other application', async () => {
  answer('get', '/users/me', () => ok(ada));
  await openSite('/', continued);
  await waitFor(() => expect(loadPage).toHaveBeenCalledWith(continued.signed_in_home));
  expect(location.pathname).toBe('/account/');
});

test('a right password loads the next page, and the form is removed', async () => {
  const calls = answer('post', '/login', () => ok(ada));
  const user = await openSite('/?redirect_url=https://elsewhere.example');
  await signIn(user, ' ada@example.com', 'Abcde1');
  expect(await screen.findByRole('status')).toHaveTextContent('Signed in.');
  expect(screen.queryByLabelText('Password')).not.toBeInTheDocument();
  expect(loadPage).toHaveBeenCalledExactlyOnceWith('/');
  expect(calls).toHaveLength(1);
  expect(calls[0]?.body).toEqual({ email: 'ada@example.com', password: 'Abcde1', app: 'wiki' });
  expect(calls[0]?.headers.get('accept-language')).toBe('en');
});

test.each([
  ['', ''],
  ['ada', 'Abcde1'],
  ['ada@example', 'Abcde1'],
  ['ada@example.com', '   '],
  ['ada@example.com', 'abc'],
])('"%s" with "%s" is refused before anything is sent', async (email, password) => {
  const calls = answer('post', '/login', () => ok(ada));
  await signIn(await openSite('/'), email, password);
  expect(await screen.findByRole('alert')).toHaveTextContent(FAILED);
  expect(calls).toHaveLength(0);
});

test('a policy that stops a right password is shown alone, as a status', async () => {
  answer('post', '/login', () => refusal(403, 'account_disabled', 'It is disabled.'));
  const links = { ...config.region.links, contact: '/contact' };
  const host = { ...config, region: { ...config.region, links } };
  await signIn(await openSite('/', host));
  const status = await screen.findByRole('status');
  expect(status).toHaveTextContent('It is disabled.');
  expect(status.parentElement).toHaveFocus();
  expect(within(status).getByRole('link', { name: words.shell.contact })).toBeVisible();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(screen.queryByText(FAILED)).not.toBeInTheDocument();
});

test('an unverified address can be sent another link', async () => {
  answer('post', '/login', () => refusal(403, 'email_not_verified', 'Verify it first.'));
  const resent = answer('post', '/resend-verification', () => ok({ message: 'sent' }));
  const user = await openSite('/');
  await signIn(user, ' ada@example.com ', 'Abcde1');
  const status = await screen.findByRole('status');
  await user.click(within(status).getByRole('button', { name: 'Send the link again' }));
  expect(await within(status).findByText(/a new link is on its way/)).toBeVisible();
  expect(resent.map(({ body }) => body)).toEqual([{ email: 'ada@example.com' }]);
  const headers = { 'Retry-After': '170' };
  answer('post', '/resend-verification', () => refusal(429, 'rate_limited', 'Wait.', headers));
  await user.click(within(status).getByRole('button', { name: 'Send the link again' }));
  expect(await within(status).findByText(/another one in 3 minutes/)).toBeVisible();
});

const newDevice = () => refusal(403, 'new_device', 'Approve it.', {}, { approval: 'word' });

test('a new device waits for its approval, and then signs in by itself', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
  const logins = answer('post', '/login', newDevice);
  const approvals = [false, true];
  const polls = answer('get', '/device-approval', () => ok({ approved: approvals.shift() }));
  await signIn(await openSite('/'));
  expect(await screen.findByRole('status')).toHaveTextContent('Approve it.');
  answer('post', '/login', () => ok(ada));
  // The polling starts in an effect after the paint.
  await new Promise((resolve) => setTimeout(resolve, 50));
  vi.advanceTimersByTime(5000);
  await waitFor(() => expect(polls).toHaveLength(1));
  expect(logins).toHaveLength(1);
  vi.advanceTimersByTime(5000);
  expect(await screen.findByText('Signed in. Off we go…')).toBeVisible();
  vi.useRealTimers();
});

test('a reload while a new device waits leaves the address and a word', async () => {
  answer('post', '/login', newDevice);
  await signIn(await openSite('/', undefined, false));
  await screen.findByText(words.sign_in.waiting);
  await waitFor(() => expect(history.state.email).toBe('ada@example.com'));
  expect(JSON.stringify(history.state)).not.toContain('word');
  await reloadSite();
  expect(await screen.findByRole('status')).toHaveTextContent('Sign in again to continue.');
  expect(screen.getByLabelText('Email')).toHaveValue('ada@example.com');
});

test.each([
  ['stopped', newDevice, words.sign_in.waiting],
  ['refused', () => refusal(401, 'invalid_credentials', 'No.'), FAILED],
])('the message of a %s sign-in replaces the notice for good', async (_, respond, message) => {
  answer('post', '/login', respond);
  const ownPage = { ...config, signed_in_home: continued.signed_in_home };
  const user = await openSite('/?continue=t.s', ownPage, false);
  expect(screen.getByText(words.sign_in.session_needed)).toBeVisible();
  await signIn(user);
  expect(await screen.findByText(message)).toBeVisible();
  expect(screen.queryByText(words.sign_in.session_needed)).not.toBeInTheDocument();
  const retry = pendingResponse();
  answer('post', '/login', () => retry.response);
  await signIn(user);
  expect(screen.queryByText(words.sign_in.session_needed)).not.toBeInTheDocument();
});

test('an approval in another tab is noticed at once', async () => {
  answer('post', '/login', newDevice);
  const polls = answer('get', '/device-approval', () => ok({ approved: true }));
  await signIn(await openSite('/'));
  expect(await screen.findByRole('status')).toHaveTextContent('Approve it.');
  // The waiting starts in an effect after the paint.
  await new Promise((resolve) => setTimeout(resolve, 50));
  answer('post', '/login', () => ok(ada));
  const onEmail = vi.fn();
  const stop = signalVerification('device-approved', onEmail);
  expect(await screen.findByText('Signed in. Off we go…')).toBeVisible();
  expect(onEmail).toHaveBeenCalledExactlyOnceWith('ada@example.com');
  expect(polls).toHaveLength(1);
  stop();
});

test('"I’ve approved it" checks at once, and sends no second link before the approval', async () => {
  const logins = answer('post', '/login', newDevice);
  const approvals = [false, true];
  answer('get', '/device-approval', () => ok({ approved: approvals.shift() }));
  const user = await openSite('/');
  await signIn(user);
  const button = await screen.findByRole('button', { name: words.sign_in.approved });
  await user.click(button);
  const status = screen.getByRole('status');
  await waitFor(() => expect(status).toHaveTextContent(words.sign_in.not_yet));
  expect(logins).toHaveLength(1);
  answer('post', '/login', () => ok(ada));
  await user.click(button);
  expect(await screen.findByText('Signed in. Off we go…')).toBeVisible();
});

test('a new device that is not approved stops waiting, and the form can be sent again', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
  answer('post', '/login', newDevice);
  const polls = answer('get', '/device-approval', () => refusal(400, 'invalid_token', 'Gone.'));
  const user = await openSite('/');
  await signIn(user);
  const button = await screen.findByRole('button', { name: words.sign_in.approved });
  button.focus();
  // The polling starts in an effect after the paint.
  await new Promise((resolve) => setTimeout(resolve, 50));
  vi.advanceTimersByTime(5000);
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent(words.sign_in.not_approved);
  expect(alert.parentElement).toHaveFocus();
  expect(screen.queryByText(words.sign_in.waiting)).toBeNull();
  vi.advanceTimersByTime(20_000);
  expect(polls).toHaveLength(1);
  vi.useRealTimers();

  answer('post', '/login', () => ok(ada));
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText('Signed in. Off we go…')).toBeVisible();
});

test('too many attempts show how long the break takes', async () => {
  const headers = { 'Retry-After': '240' };
  answer('post', '/login', () => refusal(429, 'rate_limited', 'Wait.', headers));
  await signIn(await openSite('/'));
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('Please wait 4 minutes');
  expect(alert.querySelector('svg text')).toHaveTextContent('4 min');
  await waitFor(() => expect(alert).toHaveFocus());
});

test('only a wrong password leads to the old accounts', async () => {
  answer('post', '/login', () => refusal(503, 'busy', 'A short break.'));
  const user = await openSite('/');
  await signIn(user);
  expect(await screen.findByRole('alert')).toHaveTextContent(/^A short break\.$/);
  expect(screen.queryByRole('link', { name: 'Move an account from the old site' })).toBeNull();
  answer('post', '/login', () => refusal(401, 'invalid_credentials', FAILED));
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(
    await screen.findByRole('link', { name: 'Move an account from the old site' }),
  ).toHaveAttribute('href', '/account/migration');
  const alert = screen.getByRole('alert');
  await waitFor(() => expect(alert).toHaveFocus());
  expect(alert.querySelectorAll('p')).toHaveLength(1);
  expectActive('Sign in');
});

test('messages of the server are rendered as text, never as markup', async () => {
  answer('post', '/login', () => refusal(503, 'busy', '<img src=x onerror=alert(1)>'));
  await signIn(await openSite('/'));
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('<img src=x onerror=alert(1)>');
  expect(alert.querySelector('img')).toBeNull();
});

test('without a connection the form shows an error and stays usable', async () => {
  answer('post', '/login', networkError);
  await signIn(await openSite('/'));
  expect(await screen.findByRole('alert')).toHaveTextContent('We can’t reach the server.');
  expect(screen.getByLabelText('Password')).toHaveValue('Abcde1');
});

test('a legacy account is redirected to the migration with its address', async () => {
  answer('post', '/login', () =>
    refusal(403, 'needs_migration', 'Move first.', { 'x-needs-migration': 'true' }),
  );
  await signIn(await openSite('/'), 'ada+1@example.com', 'Abcde1');
  await waitFor(() => expect(location.pathname).toBe('/account/migration'));
  expect(new URLSearchParams(location.search).get('email')).toBe('ada+1@example.com');
});

test('silently autofilled values are used at once and at the submit', async () => {
  const calls = answer('post', '/login', () => ok(ada));
  const user = await openSite('/');
  const email = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Email' });
  fillSilently(email, 'ada@example.com');
  expect(hidesClearButton(email)).toBe(false);
  fillSilently(screen.getByLabelText<HTMLInputElement>('Password'), 'Abcde1');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await waitFor(() =>
    expect(calls[0]?.body).toMatchObject({ email: 'ada@example.com', password: 'Abcde1' }),
  );
});

/** Returns whether the style sheet would hide the clear button. jsdom does not apply style sheets. */
const hidesClearButton = (input: HTMLElement) => input.matches(':placeholder-shown');

/** Sets the value without an `input` event, as some password managers do. */
function fillSilently(input: HTMLInputElement, value: string) {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value);
}

/** Clicks a link and awaits the render, because the next screen first loads its script. */
async function follow(name: string): Promise<void> {
  const link = await screen.findByRole('link', { name });
  await act(async () => {
    fireEvent.click(link);
  });
}

// The user may have signed in on another tab meanwhile.
test('each return to the sign-in checks the session again, also without a cookie at first', async () => {
  await openSite('/', undefined, false);
  await follow('Forgot password?');
  answer('get', '/users/me', () => ok(ada));
  await follow('Back');
  await waitFor(() => expect(location.pathname).toBe('/account/settings'));
});

test('a page from the back/forward cache checks the session again', async () => {
  await openSite('/', undefined, false);
  const email = screen.getByRole('textbox', { name: 'Email' });
  fireEvent.change(email, { target: { value: 'ada@example.com' } });
  const noSession = answer('get', '/users/me', unauthenticated);
  const show = (persisted: boolean) =>
    fireEvent(window, Object.assign(new Event('pageshow'), { persisted }));
  show(false);
  show(true);
  await waitFor(() => expect(noSession).toHaveLength(1));
  expect(email).toHaveValue('ada@example.com');
  answer('get', '/users/me', () => ok(ada));
  show(true);
  await waitFor(() => expect(location.pathname).toBe('/account/settings'));
});

test('the requesting app is kept on other screens', async () => {
  const calls = answer('post', '/login', () => ok(ada));
  const user = await openSite(
    '/?app=episodes&redirect_url=https://elsewhere.example',
    undefined,
    false,
  );
  expectLink('Create account', '/account/signup?app=episodes');
  for (const name of ['Forgot password?', 'Back', 'Create account', 'Back']) {
    await follow(name);
    await waitFor(() => expect(location.search).toBe('?app=episodes'));
  }
  await signIn(user);
  await screen.findByRole('heading', { name: words.sign_in.done_title });
  expect(calls.map((call) => call.body)).toEqual([
    { email: 'ada@example.com', password: 'Abcde1', app: 'episodes' },
  ]);
});
