import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import words from '../../../../locales/en.json';
import { ada, answer, config, ok } from '../../testing/api';
import { askForProof, failures, noContent } from '../../testing/responses';
import { expectLink, openSite } from '../../testing/site';
import './settings';

const { about, common, data } = words;
const profile = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  country: 'de',
  zipcode: '10115',
  birthday: '1990-12-10',
};
const unproved = () => askForProof('password');

beforeEach(() => {
  answer('get', '/users/me', () => ok(ada));
});

const region = () => screen.findByRole('region', { name: about.title });
const showButton = () => screen.findByRole('button', { name: about.show });

async function show() {
  const user = await openSite('/settings');
  await user.click(await showButton());
  return user;
}

async function facts() {
  const terms = await within(await region()).findAllByRole('term');
  return terms.map((term) => [term.textContent, term.nextElementSibling?.textContent]);
}

test('the details are loaded only on request, and the heading takes the focus', async () => {
  const calls = answer('get', '/profile', () => ok(profile));
  const user = await openSite('/settings');
  const button = await showButton();
  expect(calls).toHaveLength(0);
  await user.click(button);
  expect(await facts()).toEqual([
    [about.name, 'Ada Lovelace'],
    [common.country, 'Germany'],
    [common.zipcode, '10115'],
    [common.birthday, 'December 10, 1990'],
  ]);
  expect(screen.getByRole('heading', { level: 2, name: about.title })).toHaveFocus();
  expect(screen.queryByRole('button', { name: about.show })).not.toBeInTheDocument();
  expect(calls).toHaveLength(1);
});

test('details that an old account does not have are left out', async () => {
  answer('get', '/profile', () =>
    ok({ ...profile, first_name: null, last_name: null, country: null, zipcode: null }),
  );
  await show();
  expect(await facts()).toEqual([[common.birthday, 'December 10, 1990']]);
});

test('an old session reauthenticates first', async () => {
  answer('get', '/profile', unproved);
  const user = await show();
  const shown = await screen.findByRole('dialog');
  expect(shown).toHaveTextContent(data.download_proof);
  answer('post', '/reauthenticate', noContent);
  answer('get', '/profile', () => ok(profile));
  await user.type(within(shown).getByLabelText('Password'), 'Abcde1{Enter}');
  expect(await facts()).toHaveLength(4);
});

test('a closed dialog shows nothing', async () => {
  const calls = answer('get', '/profile', unproved);
  const user = await show();
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(await showButton()).toBeVisible();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(calls).toHaveLength(1);
});

test.each(failures(about.failed))(
  'a failure is shown, and can be repeated',
  async (fail, sentence) => {
    answer('get', '/profile', fail);
    const user = await show();
    expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
    answer('get', '/profile', () => ok(profile));
    await user.click(await showButton());
    expect(await facts()).toHaveLength(4);
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  },
);

test('the way to a correction is a link if the region has a contact page', async () => {
  const links = { ...config.region.links, contact: '/contact' };
  await openSite('/settings', { ...config, region: { ...config.region, links } });
  expect(await region()).toHaveTextContent(about.lead);
  expectLink(words.shell.contact, '/contact', within(await region()));
});

test('without a contact page the way to a correction is only a sentence', async () => {
  await openSite('/settings');
  expect(await region()).toHaveTextContent(about.lead);
  expect(within(await region()).queryByRole('link')).not.toBeInTheDocument();
});
