import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import words from '../../../../locales/en.json';
import { answer, networkError, ok, pendingResponse, refusal } from '../../testing/api';
import { failures } from '../../testing/responses';
import { expectLink, openSite, reloadSite } from '../../testing/site';
import './undo';

const { common, undo, was_this_you, answer: message } = words;

const removed = (remaining = { passkeys: [] as string[], second_factor: false }) => ({
  message: 'done',
  remaining,
});

async function open() {
  const user = await openSite('/undo?token=word');
  return (name: string) => user.click(screen.getByRole('button', { name }));
}

test.each([
  ['passkey_added', 'A passkey “Phone” was added on November 24, 2026 at '],
  ['second_factor_enabled', 'two-step verification was turned on with Chrome · Android.'],
  ['recovery_codes_regenerated', 'New recovery codes were made on November 24, 2026 at '],
  ['second_factor_reset_requested', 'someone using Chrome · Android asked to turn off two-step'],
  ['deletion_requested', 'someone using Chrome · Android asked to delete your account.'],
])('the question says what happened, when and on which device: %s', async (kind, sentence) => {
  const change = {
    kind,
    at: '2026-11-24T12:00:00Z',
    device: 'Chrome · Android',
    name: 'Phone',
    over: false,
  };
  const calls = answer('post', '/undo-credential/details', () => ok({ change }));
  await open();
  const text = await screen.findByText((content) => content.includes(sentence));
  expect(text).toHaveTextContent('Chrome · Android');
  expect(text).toHaveTextContent(undo.lead);
  expect(text).not.toHaveTextContent(undo.unknown);
  expect(text).not.toHaveTextContent(undo.over);
  expect(calls.map(({ body }) => body)).toEqual([{ token: 'word' }]);
});

test('the question says that a request is over', async () => {
  const change = {
    kind: 'second_factor_reset_requested',
    at: '2026-11-24T12:00:00Z',
    device: 'Chrome · Android',
    name: null,
    over: true,
  };
  answer('post', '/undo-credential/details', () => ok({ change }));
  await open();
  expect(await screen.findByText((content) => content.includes(undo.over))).toBeVisible();
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
  expect(screen.getByRole('button', { name: undo.remove })).toBeEnabled();
});

test('the added credential is removed, and a new password is offered', async () => {
  const calls = answer('post', '/undo-credential', () => ok(removed()));
  const press = await open();
  await press(undo.remove);
  expect(await screen.findByRole('status')).toHaveTextContent(message.credential_removed);
  const heading = screen.getByRole('heading', { level: 1 });
  expect(heading).toHaveTextContent(undo.removed_title);
  expect(heading).toHaveFocus();
  expectLink(undo.new_password, '/account/request-password');
  expect(screen.queryByText(undo.remaining)).not.toBeInTheDocument();
  expect(calls.map(({ body }) => body)).toEqual([{ token: 'word' }]);
  // After a reload the token is not sent again.
  expect(JSON.stringify(history.state)).not.toContain('word');
});

test('the ways to sign in that stay are listed, with a link to Security', async () => {
  const remaining = { passkeys: ['Phone', 'Phone'], second_factor: true };
  answer('post', '/undo-credential', () => ok(removed(remaining)));
  const press = await open();
  await press(undo.remove);
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
  await press(undo.remove);
  expect(await screen.findByRole('button', { name: undo.busy })).toHaveFocus();
  await press(undo.busy);
  await press(was_this_you.yes);
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
  request.arrive(ok(removed()));
  await screen.findByRole('status');
  expect(calls).toHaveLength(1);
});

test.each(failures(undo.failed))(
  'a failure is shown, and can be repeated',
  async (fail, sentence) => {
    answer('post', '/undo-credential', fail);
    const press = await open();
    await press(undo.remove);
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent(sentence);
    await waitFor(() => expect(alert).toHaveFocus());
    answer('post', '/undo-credential', () => ok(removed()));
    await press(undo.remove);
    expect(await screen.findByRole('status')).toHaveTextContent(message.credential_removed);
  },
);
