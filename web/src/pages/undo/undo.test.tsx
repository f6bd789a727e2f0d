import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import words from '../../../../locales/en.json';
import { answer, networkError, ok, pendingResponse, refusal } from '../../testing/api';
import { expectLink, openSite, reloadSite } from '../../testing/site';
import './undo';

const { answer: message, common, undo, was_this_you } = words;

const removed = (remaining = { passkeys: [] as string[], second_factor: false }) => ({
  message: 'done',
  taken: false,
  remaining,
});

async function open() {
  const user = await openSite('/undo?token=word');
  return (name: string) => user.click(screen.getByRole('button', { name }));
}

const change = (kind: string, over = false) => {
  const at = '2026-11-24T12:00:00Z';
  return { change: { kind, at, device: 'Chrome · Android', name: 'Phone', over } };
};

test.each([
  ['passkey_added', 'A passkey “Phone” was added on November 24, 2026 at ', undo.lead, undo.submit],
  [
    'second_factor_enabled',
    'two-step verification was turned on with Chrome · Android.',
    undo.lead,
    undo.submit,
  ],
  [
    'recovery_codes_regenerated',
    'New recovery codes were made on November 24, 2026 at ',
    undo.lead,
    undo.submit,
  ],
  [
    'second_factor_reset_requested',
    'someone using Chrome · Android asked to turn off two-step',
    undo.stop_lead,
    undo.stop_submit,
  ],
  [
    'deletion_requested',
    'someone using Chrome · Android asked to delete your account.',
    undo.stop_lead,
    undo.stop_submit,
  ],
])(
  'the question says what happened, and its button what happens: %s',
  async (kind, sentence, lead, button) => {
    const calls = answer('post', '/undo-credential/details', () => ok(change(kind)));
    await open();
    const text = await screen.findByText((content) => content.includes(sentence));
    expect(text).toHaveTextContent('Chrome · Android');
    expect(text).toHaveTextContent(lead);
    expect(text).not.toHaveTextContent(undo.unknown);
    expect(text).not.toHaveTextContent(undo.over);
    expect(
      screen
        .getAllByRole('button')
        .slice(-3, -1)
        .map(({ textContent }) => textContent),
    ).toEqual([was_this_you.yes, button]);
    expect(calls.map(({ body }) => body)).toEqual([{ token: 'word' }]);
  },
);

test('a request that is over can no longer be stopped, but every device can be signed out', async () => {
  answer('post', '/undo-credential/details', () => ok(change('deletion_requested', true)));
  await open();
  const text = await screen.findByText((content) => content.includes(undo.over));
  expect(text).toHaveTextContent(undo.over_lead);
  expect(screen.getByRole('button', { name: undo.over_submit })).toBeVisible();
});

test.each([
  ['the change is not known', () => ok({ change: null })],
  ['too many links were opened', () => refusal(429, 'rate_limited', 'Slow down.')],
  ['the server cannot be reached', networkError],
])('the question stays general if %s', async (_case, respond) => {
  const calls = answer('post', '/undo-credential/details', respond);
  await open();
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(screen.getByText(`${undo.unknown} ${undo.lead}`)).toBeVisible();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: undo.submit })).toBeEnabled();
});

test('the ways to sign in that stay are listed, with a link to Security', async () => {
  const remaining = { passkeys: ['Phone', 'Phone'], second_factor: true };
  answer('post', '/undo-credential', () => ok(removed(remaining)));
  const press = await open();
  await press(undo.submit);
  expect(await screen.findByText(undo.remaining)).toBeVisible();
  const names = screen.getAllByRole('listitem').map((item) => item.textContent?.trim());
  expect(names).toEqual(['Phone', 'Phone', undo.app]);
  expectLink(undo.security, '/account/settings/security');
});

test('opening the link removes nothing, and "Yes, this was me" changes nothing', async () => {
  const calls = answer('post', '/undo-credential', () => ok(removed()));
  const press = await open();
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(was_this_you.title);
  expect(screen.getByRole('button', { name: was_this_you.yes })).toBeVisible();
  expect(location.search).toBe('');
  expect(calls).toHaveLength(0);
  await press(was_this_you.yes);
  expect(await screen.findByRole('status')).toHaveTextContent(undo.kept);
  expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  expectLink(common.go_to_sign_in, '/account/');
  expect(calls).toHaveLength(0);
  expect(history.state.link).toEqual({});
  await reloadSite();
  expect(await screen.findByRole('status')).toHaveTextContent(undo.kept);
});

test('both buttons are inactive while the request is in progress', async () => {
  const request = pendingResponse();
  const calls = answer('post', '/undo-credential', () => request.response);
  const press = await open();
  await press(undo.submit);
  expect(await screen.findByRole('button', { name: undo.busy })).toHaveFocus();
  await press(undo.busy);
  await press(was_this_you.yes);
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
  request.arrive(ok(removed()));
  await screen.findByRole('status');
  expect(calls).toHaveLength(1);
});

test('if the address belongs to another account, the screen says so and asks for no new password', async () => {
  const remaining = { passkeys: ['Phone'], second_factor: false };
  answer('post', '/undo-credential', () => ok({ ...removed(remaining), taken: true }));
  const press = await open();
  await press(undo.submit);
  expect(await screen.findByRole('status')).toHaveTextContent(message.undone_but_taken);
  expect(screen.getByRole('listitem')).toHaveTextContent('Phone');
  expect(screen.queryByRole('link', { name: undo.new_password })).not.toBeInTheDocument();
  expectLink(common.go_to_sign_in, '/account/');
});
