import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { answer, ok, refusal } from '../testing/api';
import { listOf, stubPasskeys } from '../testing/authenticator';
import { askForProof } from '../testing/responses';
import { openSite } from '../testing/site';
import '../features/reauthentication/reauthentication-dialog';
import './completion/completion';
import './migration/migration';
import './password-change/password-form';
import './password-reset/reset-password';
import './security/security';
import './settings/settings';

const EMAIL = 'ada@example.com';
const SOURCES = import.meta.glob<string>(
  ['../**/*.tsx', '!../**/*.test.tsx', '!../components/**'],
  {
    query: '?raw',
    import: 'default',
    eager: true,
  },
);

/** The form of a password field must contain the email address, because password managers look for it there. */
async function expectUsername(password: HTMLElement): Promise<void> {
  const form = password.closest('form');
  await waitFor(() => expect(form?.querySelector('[autocomplete="username"]')).toHaveValue(EMAIL));
  const username = form?.querySelector<HTMLInputElement>('[autocomplete="username"]');
  expect(username).toHaveAttribute('readonly');
  expect(username).not.toBeVisible();
}

test('every form with a password has a username field', () => {
  const forms = Object.entries(SOURCES).filter(([, source]) =>
    /<(PasswordField|NewPassword)\b/.test(source),
  );
  expect(forms.length).toBeGreaterThanOrEqual(8);
  const without = forms.filter(
    ([, source]) => !/<(HiddenUsername|EmailField)\b|autoComplete="username/.test(source),
  );
  expect(without.map(([path]) => path)).toEqual([]);
});

test.each([
  ['/reset-password?token=secret', 'New password'],
  ['/migration-confirmation?migration_token=secret', 'Password'],
  [`/migration?email=${EMAIL}&token=secret`, 'New password'],
])('the form of the link %s names its account', async (path, label) => {
  const calls = answer('post', '/link-address', () => ok({ email: EMAIL }));
  await openSite(path);
  await expectUsername(await screen.findByLabelText(label));
  for (const { body } of calls) expect(body).toEqual({ token: 'secret' });
});

test('the form of a link whose address cannot be had stays usable', async () => {
  const calls = answer('post', '/link-address', () => refusal(429, 'rate_limited', 'Slow down.'));
  await openSite('/reset-password?token=secret');
  const password = await screen.findByLabelText('New password');
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(password.closest('form')?.querySelector('[autocomplete="username"]')).toBeNull();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('the dialogs that ask for the password name the account', async () => {
  stubPasskeys();
  answer('get', '/users/me', () => ok({ email: EMAIL, username: 'ada1815' }));
  answer('get', '/passkeys', () => listOf());
  answer('post', '/passkeys/options', () => askForProof('password', 'passkey'));
  const user = await openSite('/settings/security');
  await user.click(await screen.findByRole('button', { name: 'Add a passkey' }));
  const dialog = within(await screen.findByRole('dialog'));
  await expectUsername(dialog.getByLabelText('Password'));
});
