import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startConsent } from './consent';

const region: Parameters<typeof startConsent>[0] = {
  analytics: { brand: null, language: null, region: null },
  brand: 'Moonhill',
  consent: {
    boot_url: 'https://consent.example/boot.js',
    id: 'site',
    script_url: 'https://consent.example/queue.js',
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
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue([]);
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
  history.replaceState({ link: {}, signedOut: true }, '');
  startConsent(region);
  expect(loaded()).toEqual(['https://consent.example/queue.js']);
});

// finding: B3
test('no consent script runs while the history state has the secret of a mailed link', () => {
  history.replaceState({ link: { token: 'x'.repeat(43) } }, '');
  startConsent(region);
  expect(loaded()).toEqual([]);
  expect(window.consentQueue).toBeUndefined();
});
