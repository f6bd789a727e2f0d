import { screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import words from '../../../locales/en.json';
import { dropLinkToken } from '../url/link-tokens';
import { startConsent } from './consent';

const { shell } = words;
const QUEUE = 'https://consent.example/queue.js';
const BOOT = 'https://consent.example/boot.js';

const region: Parameters<typeof startConsent>[0] = {
  analytics: { brand: null, language: null, region: null },
  brand: 'Moonhill',
  consent: {
    boot_url: BOOT,
    id: 'site',
    script_url: QUEUE,
  },
  environment: 'dev',
  id: 'de',
  links: {
    avatar_creator: null,
    contact: null,
    episodes: null,
    privacy: null,
    random_episode: null,
    terms: null,
  },
  locale: 'de-DE',
  migration_form: 'full',
  migration_zip: 'any',
  timezone: 'Europe/Berlin',
};

beforeEach(() => {
  // `performance.getEntriesByType` is stubbed, because jsdom has no navigation timing.
  performance.getEntriesByType = () => [];
});

afterEach(() => {
  history.replaceState(null, '');
  delete window.consentQueue;
  document.head.replaceChildren();
  document.body.replaceChildren();
});

function loaded(): string[] {
  return [...document.scripts].map((script) => script.src);
}

test('scripts of a consent manager run on a page without a secret', () => {
  history.replaceState({ link: {}, notice: { text: 'sign_in.signed_out' } }, '');
  startConsent(region);
  expect(loaded()).toEqual([QUEUE]);
});

// Third-party scripts could read the secret from the history state.
test('no consent script runs while the history state has the secret of a mailed link', () => {
  history.replaceState({ link: { token: 'x'.repeat(43) } }, '');
  startConsent(region);
  expect(loaded()).toEqual([]);
});

test('with a secret the cookie settings stay closed, and start when it is used up', async () => {
  history.replaceState({ link: { token: 'x'.repeat(43) } }, '');
  startConsent(region);
  button().click();
  await new Promise((resolve) => setTimeout(resolve));
  expect(screen.getByRole('status')).toHaveTextContent(shell.cookies_later);
  expect(loaded()).toEqual([]);
  dropLinkToken('token');
  expect(loaded()).toEqual([QUEUE]);
  await finish('load');
  button().click();
  await finish('load');
  expect(window.consentQueue).toEqual([INIT, ['show']]);
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
});

test('the cookie settings start if the secret was used up before their script was loaded', async () => {
  const name = 'http://localhost/account/verify-email?token=secret';
  performance.getEntriesByType = () => [{ name } as PerformanceEntry];
  history.replaceState({ link: { token: 'secret' } }, '');
  dropLinkToken('token');
  startConsent(region);
  expect(loaded()).toEqual([QUEUE]);
});

const INIT = ['init', expect.objectContaining({ id: 'site' })];
const button = () => screen.getByRole('button', { name: shell.cookies });

/** Dispatches the event of the script that was requested last, and awaits the promise callbacks. */
async function finish(result: 'load' | 'error') {
  [...document.scripts].at(-1)?.dispatchEvent(new Event(result));
  await new Promise((resolve) => setTimeout(resolve));
}

test('the cookie settings open after the scripts have loaded', async () => {
  startConsent(region);
  button().click();
  await finish('load');
  expect(window.consentQueue).toEqual([INIT]);
  await finish('load');
  expect(window.consentQueue).toEqual([INIT, ['show']]);
  expect(loaded()).toEqual([QUEUE, BOOT]);
});

test('a click after a failed load loads the scripts again', async () => {
  startConsent(region);
  await finish('error');
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
  button().click();
  await finish('error');
  expect(screen.getByRole('status')).toHaveTextContent(shell.cookies_failed);

  button().click();
  // The message is removed first, because screen readers would not announce the same message again.
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
  await finish('error');
  expect(screen.getByRole('status')).toHaveTextContent(shell.cookies_failed);

  button().click();
  await finish('load');
  await finish('load');
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
  expect(window.consentQueue).toEqual([INIT, ['show']]);
  expect(loaded()).toEqual([QUEUE, BOOT]);
});

test('a script that has loaded is not loaded again after the other one failed', async () => {
  startConsent(region);
  await finish('load');
  await finish('error');
  expect(loaded()).toEqual([QUEUE]);
  button().click();
  expect(loaded()).toEqual([QUEUE, BOOT]);
  await finish('load');
  button().click();
  await finish('load');
  expect(loaded()).toEqual([QUEUE, BOOT]);
  expect(window.consentQueue).toEqual([INIT, ['show'], ['show']]);
});
