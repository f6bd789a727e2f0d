import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import words from '../../../../locales/en.json';
import { answer, networkError, ok, refusal } from '../../testing/api';
import { expectActive, expectLink, openSite, spentLink } from '../../testing/site';
// The lazy screens are imported before the tests, so that no test waits for an import.
import '../email-change/change-email';
import '../unsubscribe/unsubscribe';
import './restore';
import './second-factor-reset';
import './undo';

const { answer: message, change_email, common, deletion, second_factor, undo, unsubscribe } = words;
const SIGN_IN = [common.go_to_sign_in, '/account/'] as const;
const NEW_PASSWORD = [undo.new_password, '/account/request-password'] as const;
const MIGRATE = [unsubscribe.migrate, '/account/migration'] as const;

const DONE = { message: 'done', remaining: { passkeys: [], second_factor: false } };

/** The screens: URL, request, button, answer, then title, message and links of the result, and those of a spent link. */
const DECISIONS = [
  {
    address: '/undo?token=secret',
    path: '/undo-credential',
    button: undo.submit,
    body: DONE,
    title: undo.removed_title,
    text: message.credential_removed,
    links: [NEW_PASSWORD, SIGN_IN],
    expired: undo.expired,
    rescue: [NEW_PASSWORD, SIGN_IN],
  },
  {
    address: '/change-email?undo=secret',
    path: '/undo-email-change',
    button: change_email.undo_submit,
    body: { ...DONE, email: 'ada@old.example' },
    title: change_email.undo_done_title,
    text: message.email_restored,
    links: [NEW_PASSWORD, SIGN_IN],
    expired: undo.expired,
    rescue: [NEW_PASSWORD, SIGN_IN],
  },
  {
    address: '/restore?token=secret',
    path: '/restore-account',
    button: deletion.keep,
    body: DONE,
    title: deletion.restored_title,
    text: message.account_restored,
    links: [SIGN_IN],
    expired: deletion.expired,
    rescue: [SIGN_IN],
  },
  {
    address: '/second-factor-reset?token=secret',
    path: '/second-factor/reset/confirm',
    button: second_factor.reset_submit,
    body: {},
    title: second_factor.reset_done_title,
    text: message.second_factor_off,
    links: [SIGN_IN],
    expired: second_factor.reset_expired,
    rescue: [SIGN_IN],
  },
  {
    address: '/unsubscribe?token=secret',
    path: '/unsubscribe',
    button: unsubscribe.submit,
    body: DONE,
    title: unsubscribe.done_title,
    text: message.unsubscribed,
    links: [MIGRATE],
    expired: unsubscribe.expired,
    rescue: [SIGN_IN, MIGRATE],
  },
] as const;

test.each(DECISIONS)(
  '$address is redeemed by its button and not by opening it',
  async (decision) => {
    const { address, path, button, body, title, text, links } = decision;
    const calls = answer('post', path, () => ok(body));
    const user = await openSite(address);
    expect(location.search).toBe('');
    const submit = await screen.findByRole('button', { name: button });
    expect(calls).toHaveLength(0);
    await user.click(submit);
    expect(await screen.findByRole('status')).toHaveTextContent(text);
    expect(screen.getByRole('heading', { level: 1, name: title })).toHaveFocus();
    expect(document.title).toBe(`${title} · Couch & Moon`);
    for (const [name, href] of links) expectLink(name, href);
    expect(calls.map((call) => call.body)).toEqual([{ token: 'secret' }]);
    // After a reload the token is not sent again.
    expect(history.state.link).toEqual({});
  },
);

test.each(DECISIONS)(
  '$address can be redeemed again after a failure',
  async ({ address, path, button, body, text }) => {
    answer(
      'post',
      path,
      networkError,
      () => refusal(503, 'unavailable', 'A short break.'),
      () => ok(body),
    );
    const user = await openSite(address);
    const press = async () => user.click(await screen.findByRole('button', { name: button }));
    for (const sentence of ['We can’t reach the server.', 'A short break.']) {
      await press();
      await waitFor(() => expect(screen.getByRole('alert')).toHaveTextContent(sentence));
      await waitFor(() => expect(screen.getByRole('alert')).toHaveFocus());
      expectActive(button);
    }
    await press();
    expect(await screen.findByRole('status')).toHaveTextContent(text);
  },
);

test.each(DECISIONS)(
  '$address says that it is spent if the server refuses it',
  async (decision) => {
    const { address, path, button, expired, rescue } = decision;
    answer('post', path, () => refusal(400, 'invalid_token', 'That link is spent.'));
    const user = await openSite(address);
    await user.click(await screen.findByRole('button', { name: button }));
    await expectSpent(expired, rescue);
    expect(spentLink()).toHaveFocus();
    expect(history.state.link).toEqual({});
  },
);

test.each(DECISIONS.slice(0, 3))(
  '$address is spent before a press if its details are refused',
  async ({ address, expired, rescue }) => {
    answer('post', '/undo-credential/details', () =>
      refusal(400, 'invalid_token', 'That link is spent.'),
    );
    await openSite(address);
    await expectSpent(expired, rescue);
  },
);

test.each([
  ['/undo', undo.no_token, [SIGN_IN]],
  ['/restore', undo.no_token, [SIGN_IN]],
  ['/second-factor-reset', undo.no_token, [SIGN_IN]],
  ['/unsubscribe', undo.no_token, [SIGN_IN, MIGRATE]],
] as const)('%s without a token is spent', async (address, sentence, links) => {
  await openSite(address);
  await expectSpent(sentence, links);
});

async function expectSpent(sentence: string, links: readonly (readonly [string, string])[]) {
  expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
  expect(spentLink()).toBeVisible();
  expect(document.title).toBe('This link no longer works · Couch & Moon');
  for (const [name, href] of links) expectLink(name, href);
  expect(document.querySelector('#content button')).toBeNull();
}
