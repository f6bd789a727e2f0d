import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { HttpResponse } from 'msw';
import { afterEach, expect, test, vi } from 'vitest';
import words from '../../../../locales/en.json';
import { answer, config, networkError, ok, refusal } from '../../testing/api';
import { expectActive, expectLink, openSite, reloadSite, spentLink } from '../../testing/site';
// The lazy screen is imported before the tests, so that no test waits for the import.
import './migration';

const FAILED = 'Authentication failed';
const LINK = '/migration?email=ada%2B1%40example.com&token=secret';

afterEach(() => vi.useRealTimers());

const acceptRequests = () =>
  answer('post', '/migration', () => ok({ message: 'ok', code: 'migration_sent' }));
const moved = () =>
  answer('post', '/migration/confirm', () => ok({ email: 'ada+1@example.com', username: 'ada7' }));

async function request(user: UserEvent, email: string) {
  const field = await screen.findByRole('textbox', { name: 'Email' });
  await user.clear(field);
  if (email) await user.type(field, email);
  await user.click(screen.getByRole('button', { name: 'Request migration' }));
}

async function fill(user: UserEvent, password: string, again = password) {
  await user.clear(await screen.findByLabelText('New password'));
  await user.clear(screen.getByLabelText('Confirm password'));
  if (password) await user.type(screen.getByLabelText('New password'), password);
  if (again) await user.type(screen.getByLabelText('Confirm password'), again);
}

async function confirm(user: UserEvent, password: string, again = password) {
  await fill(user, password, again);
  await user.click(screen.getByRole('button', { name: 'Confirm migration' }));
}

async function openAndConfirm(password: string, again = password) {
  const user = await openSite(LINK);
  await confirm(user, password, again);
  return user;
}

test('the address from the sign-in is sent, and the response is shown', async () => {
  const calls = acceptRequests();
  const user = await openSite('/migration?email=ada%2B1%40example.com');
  expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(
    'Migrate your account',
  );
  expect(screen.getByRole('textbox', { name: 'Email' })).toHaveValue('ada+1@example.com');
  await user.click(screen.getByRole('button', { name: 'Request migration' }));
  expect(await screen.findByRole('status')).toHaveTextContent(
    'If there’s an account to move for this address, the instructions are on their way',
  );
  expect(screen.getByRole('heading', { level: 1, name: 'Check your email' })).toHaveFocus();
  expect(document.title).toBe('Check your email · Couch & Moon');
  expect(calls.map((call) => call.body)).toEqual([{ email: 'ada+1@example.com' }]);

  await reloadSite();
  expect(screen.getByRole('status')).toHaveTextContent('the instructions are on their way');
  await user.click(screen.getByRole('button', { name: 'Try another address' }));
  expect(await screen.findByRole('textbox', { name: 'Email' })).toBeVisible();
});

test('a corrected address fills in the form again and the sign-in', async () => {
  acceptRequests();
  const user = await openSite('/migration?email=old%40example.com');
  await request(user, 'ada@example.com');
  await user.click(await screen.findByRole('button', { name: 'Try another address' }));
  expect(screen.getByRole('textbox', { name: 'Email' })).toHaveValue('ada@example.com');
  await user.click(screen.getByRole('link', { name: 'Back' }));
  await waitFor(() => expect(screen.getByRole('heading', { name: 'Sign in' })).toBeVisible());
  expect(screen.getByRole('textbox', { name: 'Email' })).toHaveValue('ada@example.com');
});

test.each(['', 'ada', 'ada example.com'])(
  '"%s" is not an address and is not sent',
  async (email) => {
    const calls = acceptRequests();
    const user = await openSite('/migration');
    await request(user, email);
    const field = screen.getByRole('textbox', { name: 'Email' });
    expect(field).toHaveAccessibleDescription('Please enter a valid email address');
    expect(field).toBeInvalid();
    expect(field).toHaveFocus();
    expect(screen.getByRole('alert')).toHaveTextContent(FAILED);
    const alert = screen.getByRole('alert');
    expect(alert).toHaveTextContent('1 field needs a look.');
    expect(calls).toHaveLength(0);
    await user.click(within(alert).getByRole('link', { name: 'Email' }));
    expect(field).toHaveFocus();
  },
);

test('the title of the failure disappears with the first correction', async () => {
  const user = await openSite('/migration');
  await request(user, 'ada');
  await user.type(screen.getByRole('textbox', { name: 'Email' }), '@');
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('an error of the server about the address is shown at its field', async () => {
  answer('post', '/migration', () => refusal(422, 'validation_failed', 'That is no address.'));
  const user = await openSite('/migration');
  await request(user, 'ada@example.com');
  await waitFor(() =>
    expect(screen.getByLabelText('Email')).toHaveAccessibleDescription('That is no address.'),
  );
  expect(screen.getByRole('alert')).toHaveTextContent(FAILED);
  expectActive('Request migration');
});

test.each([
  ['the reason', () => refusal(429, 'rate_limited', 'Slow down.'), [FAILED, 'Slow down.']],
  [
    'a sentence of our own',
    () => new HttpResponse('gateway', { status: 502 }),
    [FAILED, 'Failed to request migration'],
  ],
  ['only that nobody answers', networkError, [words.common.unreachable]],
])('a failed request shows %s', async (_what, refuse, lines) => {
  answer('post', '/migration', refuse);
  const user = await openSite('/migration');
  await request(user, 'ada@example.com');
  const alert = await screen.findByRole('alert');
  const shown = within(alert).getAllByText(/./, { selector: 'p' });
  expect(shown.map(({ textContent }) => textContent)).toEqual(lines);
  expect(alert).toHaveFocus();
  expect(screen.getByRole('textbox', { name: 'Email' })).toHaveValue('ada@example.com');
});

test('a mailed link asks for a password, and its secret is removed from the address bar', async () => {
  await openSite(LINK);
  const password = await screen.findByLabelText('New password');
  expect(location.search).toBe('?email=ada%2B1%40example.com');
  expect(screen.getByText('At least 8 characters')).toBeVisible();
  expect(screen.getByText('Passwords match')).toBeVisible();
  expect(screen.queryByText('One uppercase letter')).not.toBeInTheDocument();
  expect(password).toHaveAttribute('autocomplete', 'new-password');
  expect(document.querySelector('[autocomplete="username"]')).toHaveValue('ada+1@example.com');
});

test.each([
  ['', '', 'New password', 'Password must be at least 8 characters long'],
  ['Abcdef1', 'Abcdef1', 'New password', 'Password must be at least 8 characters long'],
  ['Abcdef1', 'other', 'New password', 'Password must be at least 8 characters long'],
  ['abcdefgh', 'abcdefgx', 'Confirm password', 'Passwords do not match'],
])('for "%s" and "%s" one error is shown, at %s', async (password, again, name, message) => {
  const calls = moved();
  const user = await openAndConfirm(password, again);
  const field = screen.getByLabelText(name);
  await waitFor(() => expect(field).toHaveFocus());
  expect(field).toHaveAccessibleDescription(expect.stringContaining(message));
  expect(document.querySelectorAll('[aria-invalid="true"]')).toHaveLength(1);
  const alert = screen.getByRole('alert');
  expect(alert).toHaveTextContent(FAILED);
  await user.click(within(alert).getByRole('link', { name }));
  expect(field).toHaveFocus();
  expect(calls).toHaveLength(0);
});

test('a password of eight characters migrates the account, and a link opens the sign-in at once', async () => {
  const calls = moved();
  const user = await openAndConfirm('abcdefgh');
  const status = await screen.findByRole('status');
  expect(status).toHaveTextContent('Your account has moved. Your username is ada7.');
  expect(status).toHaveTextContent('Taking you to sign-in…');
  expect(calls.map((call) => call.body)).toEqual([{ token: 'secret', password: 'abcdefgh' }]);
  expect(screen.queryByLabelText('New password')).not.toBeInTheDocument();
  await user.click(screen.getByRole('link', { name: 'Go to sign in' }));
  await waitFor(() => expect(screen.getByRole('heading', { name: 'Sign in' })).toBeVisible());
  expect(location.pathname).toBe('/account/');
});

test('after two seconds, not before, the screen redirects to the sign-in, which repeats the username', async () => {
  moved();
  await fill(await openSite(LINK), 'abcdefgh');
  // From here on the test uses fake timers, which `waitFor` advances in steps of 50 ms.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  fireEvent.click(screen.getByRole('button', { name: 'Confirm migration' }));
  await vi.waitFor(() => expect(screen.getByRole('status')).toBeVisible());
  await vi.advanceTimersByTimeAsync(1900);
  expect(location.pathname).toBe('/account/migration');
  await vi.advanceTimersByTimeAsync(100);
  expect(location.pathname).toBe('/account/');
  await vi.waitFor(() => screen.getByRole('heading', { name: 'Sign in' }));
  expect(screen.getByRole('status')).toHaveTextContent('Your username is ada7.');
});

test('an error of the server about the password is shown at its field', async () => {
  answer('post', '/migration/confirm', () =>
    refusal(422, 'validation_failed', 'Everybody uses that one.'),
  );
  await openAndConfirm('password');
  await waitFor(() =>
    expect(screen.getByLabelText('New password')).toHaveAccessibleDescription(
      expect.stringContaining('Everybody uses that one.'),
    ),
  );
  expect(screen.getByRole('alert')).toHaveTextContent(FAILED);
  expectActive('Confirm migration');
});

test('an expired link shows its error and a link that requests a new one for the same address', async () => {
  answer('post', '/migration/confirm', () => refusal(400, 'invalid_token', 'That link is spent.'));
  const user = await openAndConfirm('abcdefgh');
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent(FAILED);
  expect(alert).toHaveTextContent('That link is spent.');
  expect(spentLink()).toHaveFocus();
  await user.click(screen.getByRole('button', { name: 'Request a new link' }));
  expect(await screen.findByRole('textbox', { name: 'Email' })).toHaveValue('ada+1@example.com');
});

test('a minor sees the minimum age, and the contact link if the region has one', async () => {
  answer('post', '/migration/confirm', () => refusal(422, 'underage', 'Sorry, not yet.'));
  const links = { ...config.region.links, contact: '/contact' };
  const user = await openSite(LINK, { ...config, region: { ...config.region, links } });
  await confirm(user, 'abcdefgh');
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('Sorry, not yet.');
  expect(alert).toHaveTextContent('You must be 17 or older to move an account.');
  expectLink('Contact us', '/contact', within(alert));
});

test('without a message of the server the fallback is shown below the title', async () => {
  answer('post', '/migration/confirm', () => new HttpResponse('gateway', { status: 502 }));
  await openAndConfirm('abcdefgh');
  expect(await screen.findByRole('alert')).toHaveTextContent('Failed to confirm migration');
});
