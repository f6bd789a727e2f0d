import { HttpResponse } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import german from '../../../locales/de.json';
import es from '../../../locales/es.json';
import portuguese from '../../../locales/pt.json';
import { answer, pendingResponse } from '../testing/api';
import { chooseLanguage, withReadSlot } from './load';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.useRealTimers();
});

/** Advances the fake clock until `happened()` is true. Responses can arrive in between. */
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
  expect(await chosen).toEqual(new Error('the texts in "pt" could not be loaded'));
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

test('a later choice replaces one whose texts are still loading', async () => {
  const spanish = pendingResponse();
  answer('get', '/translations/es', () => spanish.response);
  const earlier = chooseLanguage('es');
  await chooseLanguage('en');
  spanish.arrive(HttpResponse.json(es));
  await earlier;
  expect(document.documentElement.lang).toBe('en');
  expect(document.cookie).toContain('account_language=en');
});

test('a failure of an earlier choice is not the failure of a later one', async () => {
  const calls = answer('get', '/translations/pt', () => new HttpResponse(null, { status: 404 }));
  const earlier = chooseLanguage('pt');
  await chooseLanguage('en');
  await expect(earlier).resolves.toBeUndefined();
  expect(calls).toHaveLength(1);
  expect(document.documentElement.lang).toBe('en');
});

test('translations whose body is cut off are requested again', async () => {
  let tries = 0;
  answer('get', '/translations/pt', () => {
    tries += 1;
    return tries === 1 ? new HttpResponse('{"common": {') : HttpResponse.json(portuguese);
  });
  const chosen = chooseLanguage('pt');
  await passTime(() => tries === 2);
  await chosen;
  expect(document.documentElement.lang).toBe('pt');
});

test('at most ten loads run concurrently', async () => {
  const running: (() => void)[] = [];
  const begin = () => new Promise<void>((resolve) => running.push(resolve));
  const all = Array.from({ length: 13 }, () => withReadSlot(begin));
  expect(running).toHaveLength(10);
  running[0]?.();
  await all[0];
  await vi.waitFor(() => expect(running).toHaveLength(11));
  for (const end of running.slice(1)) end();
  await vi.waitFor(() => expect(running).toHaveLength(13));
  for (const end of running.slice(11)) end();
  await Promise.all(all);
});
