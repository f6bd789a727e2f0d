import { createInstance, type ReadCallback } from 'i18next';
import { HttpResponse } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import german from '../../locales/de.json';
import { chooseLanguage, LOADING } from './i18n';
import { answer } from './testing/api';

// Specification section 9: up to 5 retries, the first after 350 ms, each wait twice the last; 10 reads
// at a time.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.useRealTimers();
});

/** Advances the fake clock until the condition holds, and lets responses arrive in between. */
async function passTime(happened: () => boolean): Promise<void> {
  while (!happened()) {
    await vi.advanceTimersByTimeAsync(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const failing = () => new HttpResponse(null, { status: 503 });

test('failed translations are retried five times, with doubling delays', async () => {
  const calls = answer('get', '/translations/pt', failing);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const chosen = chooseLanguage('pt').catch((failure: Error) => failure);
  await passTime(() => calls.length === 6);
  const waits = timers.mock.calls.map(([, wait]) => wait ?? 0).filter((wait) => wait >= 350);
  expect(waits).toEqual([350, 700, 1400, 2800, 5600]);
  expect(await chosen).toEqual(new Error('the words of "pt" could not be loaded'));
  expect(calls).toHaveLength(6);
  expect(document.documentElement.lang).not.toBe('pt');
});

test('translations that load at a later attempt are used', async () => {
  let tries = 0;
  answer('get', '/translations/de', () => {
    tries += 1;
    return tries < 3 ? failing() : HttpResponse.json(german);
  });
  const chosen = chooseLanguage('de');
  await passTime(() => tries === 3);
  await chosen;
  expect(document.documentElement.lang).toBe('de');
});

test('at most ten loads run concurrently', async () => {
  const waiting: ReadCallback[] = [];
  const i18n = createInstance();
  i18n.use({
    type: 'backend',
    init: () => undefined,
    read: (_language: string, _namespace: string, callback: ReadCallback) => waiting.push(callback),
  });
  const namespaces = Array.from({ length: 13 }, (_, number) => `part${number}`);
  const done = i18n.init({ ...LOADING, lng: 'en', fallbackLng: false, ns: namespaces });
  await vi.waitFor(() => expect(waiting).toHaveLength(10));
  waiting.shift()?.(null, {});
  expect(waiting).toHaveLength(10);
  while (waiting.length > 0) waiting.shift()?.(null, {});
  await done;
  expect(namespaces.every((name) => i18n.hasResourceBundle('en', name))).toBe(true);
});
