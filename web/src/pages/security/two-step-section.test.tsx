import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { answer, config, ok, pendingResponse, refusal, security } from '../../testing/api';
import { openSite } from '../../testing/site';
// The lazy screens are imported before the tests, so that no test waits for an import.
import '../../features/reauthentication/reauthentication-dialog';
import '../../features/second-factor/recovery-codes';
import '../two-step/two-step';
import './security';

const host = { ...config, passkeys: { enabled: false, offer: false } };
const on = { ...security, second_factor: true, recovery_codes_left: 10 };
const noContent = () => new HttpResponse(null, { status: 204 });
const askForProof = () =>
  refusal(403, 'reauthentication_required', 'Prove it.', {}, { methods: ['password', 'totp'] });

beforeEach(() => {
  answer('get', '/security', () => ok(on));
});

async function open() {
  const user = await openSite('/settings/security', host);
  const region = await screen.findByRole('region', { name: 'Two-step verification' });
  const button = (name: string) => within(region).findByRole('button', { name });
  return { user, region, button };
}

test('while it is off, a button opens the set-up', async () => {
  answer('get', '/security', () => ok(security));
  answer('post', '/second-factor/totp', () => pendingResponse().response);
  const { region, button } = await open();
  expect(await within(region).findByText('It’s off.')).toBeVisible();
  const turnOn = await button('Turn on');
  // The render is awaited, because a screen suspends while its module loads.
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
  expect(await within(region).findByText('It’s on.')).toBeVisible();
  expect(within(region).getByText(text)).toBeVisible();
});

test('turning it off requires a confirmation, the password and a code', async () => {
  let requests = 0;
  const calls = answer('delete', '/second-factor', () => {
    requests += 1;
    return requests === 1 ? askForProof() : noContent();
  });
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
  answer('post', '/second-factor/recovery-codes', askForProof);
  answer('post', '/reauthenticate', () => refusal(401, 'reauthentication_failed', 'No.'));
  const { user, button } = await open();
  await user.click(await button('New recovery codes'));
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

test('new recovery codes are shown once', async () => {
  answer('post', '/second-factor/recovery-codes', () =>
    ok({ recovery_codes: ['AAAA-BBBB-CCCC-DDDD', 'EEEE-FFFF-GGGG-HHHH'] }),
  );
  const { user, button } = await open();
  await user.click(await button('New recovery codes'));
  await screen.findByRole('heading', { level: 1, name: 'Your recovery codes' });
  expect(screen.getByRole('status')).toHaveTextContent('Your old codes no longer work.');
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'AAAA-BBBB-CCCC-DDDD',
    'EEEE-FFFF-GGGG-HHHH',
  ]);
  await user.click(screen.getByRole('button', { name: 'I have saved them' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Security' })).toBeVisible();
  expect(screen.queryByText('AAAA-BBBB-CCCC-DDDD')).not.toBeInTheDocument();
});

test('a failed load can be retried', async () => {
  answer('get', '/security', () => refusal(503, 'unavailable', 'A short break.'));
  const { user, region, button } = await open();
  expect(await within(region).findByRole('alert')).toBeVisible();
  answer('get', '/security', () => ok(on));
  await user.click(await button('Try Again'));
  expect(await within(region).findByText('It’s on.')).toBeVisible();
});
