import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as loadPage from '../loading/load-page';
import { showLoadFailure } from './load-failure';
import { afterFirstPaint, loadWithRetry } from './scripts';

let reportPaint: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      constructor(report: () => void) {
        reportPaint = report;
      }
      observe() {}
    },
  );
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Returns whether the promise is settled once all microtasks have run. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  promise.then(() => {
    done = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return done;
}

const parse = () => dispatchEvent(new Event('DOMContentLoaded'));

test('the scripts wait until the page is parsed and painted', async () => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(false);
  const ready = afterFirstPaint();
  reportPaint();
  expect(await isDone(ready)).toBe(false);
  parse();
  expect(await isDone(ready)).toBe(true);
});

test('without a paint the scripts wait a second', async () => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(false);
  const ready = afterFirstPaint();
  parse();
  expect(await isDone(ready)).toBe(false);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await isDone(ready)).toBe(true);
});

test('a hidden tab does not wait for a paint', async () => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  const ready = afterFirstPaint();
  parse();
  expect(await isDone(ready)).toBe(true);
});

test('an entry script that fails once is loaded after a second', async () => {
  const load = vi.fn().mockRejectedValueOnce(new TypeError('failed')).mockResolvedValue({});
  const loaded = loadWithRetry(load);
  expect(await isDone(loaded)).toBe(false);
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await isDone(loaded)).toBe(true);
  expect(load).toHaveBeenCalledTimes(2);
});

test('an entry script that fails twice is not requested again', async () => {
  const load = vi.fn().mockRejectedValue(new TypeError('failed'));
  const loaded = expect(loadWithRetry(load)).rejects.toThrow('failed');
  await vi.advanceTimersByTimeAsync(60_000);
  await loaded;
  expect(load).toHaveBeenCalledTimes(2);
});

test.each(['content', 'root'])('the failure is shown as a text with a button in #%s', (id) => {
  const texts = { common: { unreachable: 'No <connection>.', try_again: 'Try again' } };
  document.body.innerHTML = `<div id="${id}"><h1>Sign in</h1></div>
    <script type="application/json" id="boot">${JSON.stringify({ translations: texts })}</script>`;
  const reload = vi.spyOn(loadPage, 'reload').mockImplementation(() => undefined);
  const alert = showLoadFailure();
  expect(document.getElementById(id)?.firstChild).toBe(alert);
  expect(alert.getAttribute('role') ?? alert.role).toBe('alert');
  expect(alert.querySelector('p')).toHaveTextContent('No <connection>.');
  expect(reload).not.toHaveBeenCalled();
  const again = alert.querySelector('button');
  expect(again).toHaveTextContent('Try again');
  again?.click();
  expect(reload).toHaveBeenCalledTimes(1);
});
