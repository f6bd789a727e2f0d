import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import words from '../../../../locales/en.json';
import { answer, ok, refusal } from '../../testing/api';
import { askForProof, failures, noContent } from '../../testing/responses';
import { openSite } from '../../testing/site';
import './data';

const { data } = words;
const NAME = 'account-ada-2026-11-21.zip';
const archive = () =>
  new HttpResponse('zip', {
    headers: {
      'Content-Type': 'application/zip',
      'Content-Disposition': `attachment; filename="${NAME}"`,
    },
  });

let saved: string[] = [];

beforeEach(() => {
  saved = [];
  answer('get', '/security', () => ok({ aal: 1, passkeys: 0, marketing_consent: false }));
  URL.createObjectURL = () => 'blob:sample';
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push(`${this.download} ${this.href}`);
  });
});

async function press() {
  const user = await openSite('/settings/data');
  const region = within(await screen.findByRole('region', { name: data.download }));
  await user.click(region.getByRole('button', { name: data.download_button }));
  return user;
}

test('the data are saved under the file name of the server, with a message', async () => {
  const calls = answer('get', '/data-export', archive);
  await press();
  expect(await screen.findByRole('status')).toHaveTextContent(data.download_done);
  expect(saved).toEqual([`${NAME} blob:sample`]);
  expect(calls).toHaveLength(1);
});

test('an old session reauthenticates first', async () => {
  answer('get', '/data-export', () => askForProof('password'));
  const user = await press();
  const shown = await screen.findByRole('dialog');
  expect(shown).toHaveTextContent(data.download_proof);
  const dialog = within(shown);
  answer('post', '/reauthenticate', noContent);
  answer('get', '/data-export', archive);
  await user.type(dialog.getByLabelText('Password'), 'Abcde1{Enter}');
  expect(await screen.findByRole('status')).toHaveTextContent(data.download_done);
  expect(saved).toHaveLength(1);
});

test('a closed dialog downloads nothing and shows no message', async () => {
  const calls = answer('get', '/data-export', () =>
    refusal(403, 'reauthentication_required', 'Confirm.'),
  );
  const user = await press();
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(calls).toHaveLength(1);
  expect(saved).toEqual([]);
});

test.each(failures(data.download_failed))(
  'a download that failed can be tried again',
  async (fail, sentence) => {
    answer('get', '/data-export', fail);
    const user = await press();
    expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
    expect(saved).toEqual([]);
    answer('get', '/data-export', archive);
    await user.click(screen.getByRole('button', { name: data.download_button }));
    expect(await screen.findByRole('status')).toHaveTextContent(data.download_done);
  },
);
