import { act, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { loadScript } from '../../loading/lazy-page';
import { answer, ok, refusal } from '../../testing/api';
import { OPTIONS, stubPasskeys } from '../../testing/authenticator';
import { expectActive, expectInactive, openSite, signIn } from '../../testing/site';
import './passkey-sign-in';
import './stopped-sign-in';

vi.mock('../../loading/lazy-page', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../loading/lazy-page')>();
  return { ...original, loadScript: vi.fn(original.loadScript) };
});

const newDevice = () => refusal(403, 'new_device', 'Approve it.', {}, { approval: 'word' });

/** Keeps the next script pending until the test calls the returned function. */
function delayScript(): () => void {
  let arrive: () => void = () => undefined;
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  vi.mocked(loadScript).mockImplementationOnce(async (load) => {
    await arrival;
    return load();
  });
  return arrive;
}

test('the sign-in is busy until the script that explains its refusal is loaded', async () => {
  const logins = answer('post', '/login', newDevice);
  const user = await openSite('/', undefined, false);
  const arrive = delayScript();
  await signIn(user);
  await vi.waitFor(() => expect(loadScript).toHaveBeenCalled());
  await act(() => new Promise((resolve) => setTimeout(resolve)));
  await expectInactive('Signing in…');
  await user.keyboard('{Enter}');
  arrive();
  expect(await screen.findByRole('status')).toHaveTextContent('Approve it.');
  expectActive('Sign in');
  expect(logins).toHaveLength(1);
});

test('the sign-in with a passkey is busy until the script that explains its refusal is loaded', async () => {
  stubPasskeys();
  answer('post', '/passkeys/sign-in/options', () => ok(OPTIONS));
  answer('post', '/passkeys/sign-in', newDevice);
  const user = await openSite('/', undefined, false);
  const arrive = delayScript();
  vi.mocked(loadScript).mockClear();
  await user.click(await screen.findByRole('button', { name: 'Sign in with a passkey' }));
  await vi.waitFor(() => expect(loadScript).toHaveBeenCalled());
  await act(() => new Promise((resolve) => setTimeout(resolve)));
  await expectInactive('Waiting for your passkey…');
  arrive();
  expect(await screen.findByRole('status')).toHaveTextContent('Approve it.');
});

test('if the script cannot be loaded, the message of the server is shown', async () => {
  answer('post', '/login', newDevice);
  const user = await openSite('/', undefined, false);
  vi.mocked(loadScript).mockRejectedValueOnce(new Error('offline'));
  await signIn(user);
  expect(await screen.findByRole('alert')).toHaveTextContent('Approve it.');
  expectActive('Sign in');
});
