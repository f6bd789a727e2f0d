import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import words from '../../../../locales/en.json';
import { onVerification } from '../../browser/verification-signal';
import { ada, answer, networkError, ok, pendingResponse, refusal } from '../../testing/api';
import { expectLink, openSite, spentLink } from '../../testing/site';
import './verify-email';

afterEach(() => vi.useRealTimers());

const confirm = (code: string, more: object = {}) =>
  answer('get', '/confirm-email', () => ok({ message: 'ok', code, ...more }));

test('the token is redeemed once, removed from the address bar, and verifies the address', async () => {
  const confirmed = pendingResponse();
  const calls = answer('get', '/confirm-email', () => confirmed.response);
  await openSite('/verify-email?token=secret&lang=en');
  expect(screen.getByText('Verifying your email...', { selector: 'p' })).toBeVisible();
  confirmed.arrive(ok({ message: 'ok', code: 'email_verified' }));
  const status = await screen.findByRole('status');
  expect(status).toHaveTextContent('Your email has been verified');
  expect(status).toHaveTextContent('Redirecting to login...');
  expect(screen.getByRole('heading', { level: 1, name: 'Email verified' })).toBeVisible();
  expect(calls.map((call) => call.url.searchParams.get('token'))).toEqual(['secret']);
  expect(location.search).toBe('?lang=en');
  expectLink('Back to Sign In', '/account/');
});

test('after three seconds the sign-in opens with the address of the registration in another tab', async () => {
  const stop = onVerification('email-verified', 'ada@example.com', () => undefined);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  confirm('email_verified');
  await openSite('/verify-email?token=secret');
  await screen.findByText('Redirecting to login...');
  expect(location.pathname).toBe('/account/verify-email');
  const entries = history.length;
  await vi.advanceTimersByTimeAsync(3000);
  expect(await screen.findByRole('status')).toHaveTextContent('Your email has been verified');
  expect(location.pathname).toBe('/account/');
  expect(screen.getByLabelText('Email')).toHaveValue('ada@example.com');
  // The Back button would lead to the verified link, which redirects again.
  expect(history.length).toBe(entries);
  stop();
});

test('without a token no request is sent', async () => {
  const calls = confirm('email_verified');
  await openSite('/verify-email');
  expect(await screen.findByRole('alert')).toHaveTextContent('No verification token found');
  expectLink('Back to Sign In', '/account/');
  expect(calls).toHaveLength(0);
});

test('an expired link shows its error, and a new one can be requested', async () => {
  answer('get', '/confirm-email', () => refusal(400, 'invalid_token', 'That link is spent.'));
  const resent = answer('post', '/resend-verification', () => ok({ message: 'ok' }));
  const user = await openSite('/verify-email?token=old');
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('Sorry something went wrong please try again later');
  expect(alert).toHaveTextContent('That link is spent.');
  expect(spentLink()).toBeVisible();
  // The link may have approved a device: the server no longer knows the purpose of a replaced link.
  expect(screen.getByText(words.email_verification.replaced)).toBeVisible();

  expect(screen.queryByRole('heading', { level: 2 })).not.toBeInTheDocument();
  const again = screen.getByRole('button', { name: 'Send a new link' });
  await user.click(again);
  expect(screen.getByLabelText('Email')).toHaveAccessibleDescription('Email is required.');
  expect(screen.getAllByRole('alert').at(-1)).toHaveTextContent('Email is required.');
  expect(resent).toHaveLength(0);
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView');
  await user.click(again);
  expect(await screen.findByRole('status')).toHaveTextContent('a new link is on its way');
  expect(scroll).toHaveBeenCalledWith({ block: 'nearest' });
  expect(resent[0]?.body).toEqual({ email: 'ada@example.com' });

  const headers = { 'Retry-After': '170' };
  answer('post', '/resend-verification', () => refusal(429, 'rate_limited', 'Wait.', headers));
  await user.click(again);
  const refused = await screen.findByText(/already requested.*another one in 3 minutes/);
  expect(refused.closest('[role="alert"]')).toHaveFocus();
});

test('a device requested from this browser is approved at once', async () => {
  confirm('device_approved');
  await openSite('/verify-email?token=secret');
  expect(await screen.findByRole('status')).toHaveTextContent('This device is approved.');
});

test('after the approval of this device the sign-in goes on if another tab has signed in', async () => {
  const listener = vi.fn();
  const stop = onVerification('device-approved', 'ada@example.com', listener);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  confirm('device_approved');
  // The page was requested before there was a session.
  await openSite('/verify-email?token=secret', undefined, false);
  await screen.findByText('Redirecting to login...');
  await waitFor(() => expect(listener).toHaveBeenCalledOnce());
  answer('get', '/users/me', () => ok(ada));
  await vi.advanceTimersByTimeAsync(3000);
  await waitFor(() => expect(location.pathname).toBe('/account/settings'));
  stop();
});

test('after the approval of this device the sign-in without a session says so', async () => {
  const stop = onVerification('device-approved', 'ada@example.com', () => undefined);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  confirm('device_approved');
  await openSite('/verify-email?token=secret', undefined, false);
  await screen.findByText('Redirecting to login...');
  await vi.advanceTimersByTimeAsync(3000);
  await waitFor(() =>
    expect(screen.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible(),
  );
  expect(screen.getByRole('status')).toHaveTextContent('This device is approved.');
  expect(screen.getByLabelText('Email')).toHaveValue('ada@example.com');
  stop();
});

test.each([
  ['Yes, this was me', true, 'device_approved', 'Firefox · Windows is approved. Go back to it.'],
  ['No, it was not', false, 'device_refused', 'We blocked that device'],
])(
  'a device requested from another browser needs a decision: "%s"',
  async (button, approve, code, sentence) => {
    confirm('device_pending', {
      device: 'Firefox · Windows',
      requested_at: new Date(1795258800000).toISOString(),
    });
    const decided = { message: 'ok', code, ...(approve && { device: 'Firefox · Windows' }) };
    const calls = answer('post', '/confirm-device', () => ok(decided));
    const user = await openSite('/verify-email?token=secret');
    expect(await screen.findByText('Firefox · Windows')).toBeVisible();
    expect(screen.getByText(/Nov 2\d, 2026/)).toBeVisible();
    await user.click(screen.getByRole('button', { name: button }));
    expect(await screen.findByText(new RegExp(sentence))).toBeVisible();
    expect(calls[0]?.body).toEqual({ token: 'secret', approve });
  },
);

test('the link of a device approved elsewhere names the device and does not redirect', async () => {
  confirm('device_approved', { device: 'Firefox · Windows' });
  await openSite('/verify-email?token=secret');
  const status = await screen.findByRole('status');
  expect(status).toHaveTextContent('Firefox · Windows is approved. Go back to it.');
  expect(screen.queryByText('Redirecting to login...')).not.toBeInTheDocument();
});

test('a failed decision can be repeated', async () => {
  confirm('device_pending');
  answer('post', '/confirm-device', () => refusal(503, 'unavailable', 'A short break.'));
  const user = await openSite('/verify-email?token=secret');
  await user.click(await screen.findByRole('button', { name: 'Yes, this was me' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('A short break.');
  const yes = screen.getByRole('button', { name: 'Yes, this was me' });
  expect(yes).not.toHaveAttribute('aria-disabled');
});

test.each([
  ['Yes, this was me', 'No, it was not', true],
  ['No, it was not', 'Yes, this was me', false],
])('while "%s" is sent, "%s" is inactive', async (first, second, approve) => {
  confirm('device_pending');
  const answered = pendingResponse();
  const calls = answer('post', '/confirm-device', () => answered.response);
  await openSite('/verify-email?token=secret');
  const pressed = await screen.findByRole('button', { name: first });
  const other = screen.getByRole('button', { name: second });
  // Both clicks happen before the next render, as two clicks before hydration do when they are replayed.
  act(() => {
    pressed.click();
    other.click();
  });
  await waitFor(() => expect(pressed).toHaveAccessibleName(words.common.loading));
  expect(other).toHaveAttribute('aria-disabled', 'true');
  other.click();
  answered.arrive(refusal(503, 'unavailable', 'A short break.'));
  expect(await screen.findByText('A short break.')).toBeVisible();
  expect(calls.map((call) => call.body)).toEqual([{ token: 'secret', approve }]);
  expect(other).not.toHaveAttribute('aria-disabled');
});

test.each([
  [
    503,
    () => refusal(503, 'unavailable', 'A short break.'),
    `${words.email_verification.failed_hint}A short break.`,
  ],
  ['offline', networkError, words.common.unreachable],
])('a temporary failure (%s) can be retried', async (_kind, failure, text) => {
  answer('get', '/confirm-email', failure);
  const user = await openSite('/verify-email?token=secret');
  expect((await screen.findByRole('alert')).textContent).toBe(text);
  expect(history.state.link).toEqual({ token: 'secret' });
  confirm('email_verified');
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('status')).toHaveTextContent('Your email has been verified');
  expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  expect(history.state.link).toEqual({});
});
