import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import words from '../../../locales/en.json';
import { answer, refusal } from '../testing/api';
import { expectLink, openSite, spentLink } from '../testing/site';
// The lazy screens are imported before the tests, so that no test waits for an import.
import './email-change/change-email';
import './undo/restore';
import './undo/second-factor-reset';
import './undo/undo';
import './unsubscribe/unsubscribe';

const { change_email, common, deletion, second_factor, undo, unsubscribe } = words;
const DETAILS = '/undo-credential/details';
const SIGN_IN = [common.go_to_sign_in, '/account/'] as const;
const NEW_PASSWORD = [undo.new_password, '/account/request-password'] as const;
const MIGRATE = [unsubscribe.migrate, '/account/migration'] as const;

/** Every refusal of a link that a button redeems: address, request, pressed button, error message and next links. */
const REFUSALS = [
  ['/undo?token=word', DETAILS, null, undo.expired, [NEW_PASSWORD, SIGN_IN]],
  ['/undo?token=word', '/undo-credential', undo.remove, undo.expired, [NEW_PASSWORD, SIGN_IN]],
  ['/change-email?undo=secret', DETAILS, null, undo.expired, [NEW_PASSWORD, SIGN_IN]],
  [
    '/change-email?undo=secret',
    '/undo-email-change',
    change_email.undo_submit,
    undo.expired,
    [NEW_PASSWORD, SIGN_IN],
  ],
  ['/restore?token=secret', DETAILS, null, deletion.expired, [SIGN_IN]],
  ['/restore?token=secret', '/restore-account', deletion.keep, deletion.expired, [SIGN_IN]],
  [
    '/second-factor-reset?token=secret',
    '/second-factor/reset/confirm',
    second_factor.reset_submit,
    second_factor.reset_expired,
    [SIGN_IN],
  ],
  [
    '/unsubscribe?token=old',
    '/unsubscribe',
    unsubscribe.submit,
    unsubscribe.expired,
    [SIGN_IN, MIGRATE],
  ],
] as const;

test.each(REFUSALS)('%s refused by %s (button: %s) is spent', async (...row) => {
  const [address, path, button, sentence, links] = row;
  answer('post', path, () => refusal(400, 'invalid_token', 'That link is spent.'));
  const user = await openSite(address);
  if (button) await user.click(await screen.findByRole('button', { name: button }));
  await expectSpent(sentence, links);
  expect(spentLink()).toHaveFocus();
  // After a reload the token is not sent again.
  expect(history.state.link).toEqual({});
});

test.each([
  ['/undo', undo.no_token, [SIGN_IN]],
  ['/restore', undo.no_token, [SIGN_IN]],
  ['/second-factor-reset', undo.no_token, [SIGN_IN]],
  ['/unsubscribe', unsubscribe.no_token, [SIGN_IN, MIGRATE]],
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
