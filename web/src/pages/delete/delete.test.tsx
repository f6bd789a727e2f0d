import { screen } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import words from '../../../../locales/en.json';
import { answer, config, ok, pendingResponse } from '../../testing/api';
import { askForProof, failures, noContent } from '../../testing/responses';
import { expectLink, openSite, reloadSite } from '../../testing/site';
// The lazy screen is imported before the tests, so that no test waits for the import.
import '../undo/restore';
import './delete';

const { deletion } = words;
const requested = () => HttpResponse.json({ delete_at: '2030-05-07T12:00:00Z' }, { status: 202 });

beforeEach(() => {
  answer('get', '/security', () => ok({ aal: 1, passkeys: 0, marketing_consent: false }));
});

async function open() {
  const user = await openSite('/delete');
  const heading = await screen.findByRole('heading', { level: 1 });
  expect(heading).toHaveTextContent(deletion.title);
  return user;
}

const tick = () => screen.getByRole('checkbox', { name: deletion.understand });
const button = () => screen.getByRole('button', { name: deletion.submit });

test('deleted data, kept data and the date are listed before the request', async () => {
  const calls = answer('post', '/delete-account', requested);
  await open();
  expect(screen.getByRole('list', { name: deletion.goes })).toBeVisible();
  expect(screen.getByRole('list', { name: deletion.stays })).toBeVisible();
  const in14Days = new Date(Date.now() + 14 * 86_400_000);
  const date = new Intl.DateTimeFormat(config.region.locale, { dateStyle: 'long' });
  expect(screen.getByText(/we delete everything for good/)).toHaveTextContent(
    date.format(in14Days),
  );
  expectLink(deletion.keep, '/account/settings/data');
  expect(calls).toHaveLength(0);
});

test('the button requires the checkbox', async () => {
  const calls = answer('post', '/delete-account', requested);
  const user = await open();
  await user.click(button());
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent(deletion.tick_first);
  expect(tick()).toHaveFocus();
  expect(tick()).toBeInvalid();
  expect(tick()).toHaveAccessibleDescription(deletion.tick_first);
  await user.click(tick());
  expect(alert).not.toBeInTheDocument();
  expect(tick()).toBeValid();
  expect(calls).toHaveLength(0);
});

test('the deletion is requested once, and the date of the server is shown, also after a reload', async () => {
  const calls = answer('post', '/delete-account', requested);
  const user = await open();
  await user.click(tick());
  await user.dblClick(button());
  expect(await screen.findByRole('status')).toHaveTextContent('May 7, 2030');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(deletion.done_title);
  expect(calls).toHaveLength(1);
  await reloadSite();
  expect(await screen.findByRole('status')).toHaveTextContent('on May 7, 2030');
});

test('the link that keeps the account does nothing while the deletion is requested', async () => {
  const { response, arrive } = pendingResponse();
  answer('post', '/delete-account', () => response);
  const user = await open();
  await user.click(tick());
  await user.click(button());
  await user.click(screen.getByRole('link', { name: deletion.keep }));
  expect(location.pathname).toBe('/account/delete');
  arrive(requested());
  expect(await screen.findByRole('status')).toHaveTextContent('May 7, 2030');
});

test('an old session reauthenticates first', async () => {
  answer('post', '/delete-account', () => askForProof('password'));
  const user = await open();
  await user.click(tick());
  await user.click(button());
  expect(await screen.findByRole('dialog')).toHaveTextContent(deletion.proof);
  answer('post', '/reauthenticate', noContent);
  answer('post', '/delete-account', requested);
  await user.type(screen.getByLabelText('Password'), 'Abcde1{Enter}');
  expect(await screen.findByRole('status')).toHaveTextContent('May 7, 2030');
});

test.each(failures(deletion.failed))('a failure is shown', async (fail, sentence) => {
  answer('post', '/delete-account', fail);
  const user = await open();
  await user.click(tick());
  await user.click(button());
  expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
});
