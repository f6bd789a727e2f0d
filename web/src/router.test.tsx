import { act, fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { reload } from './loading/load-page';
import { answer, ok } from './testing/api';
import { openSite } from './testing/site';
// The lazy screens are imported before the tests, so that no test waits for an import.
import './pages/activity/activity';
import './pages/password-reset/request-password';

vi.mock('./loading/load-page');

test.each([
  ['/activity', 1],
  ['/request-password', 0],
])('%s from the back/forward cache is reloaded if it shows an account', async (path, reloads) => {
  vi.mocked(reload).mockClear();
  answer('get', '/activity', () => ok({ events: [], next: null }));
  await openSite(path);
  await screen.findByRole('heading', { level: 1 });
  const show = (persisted: boolean) =>
    act(async () => void fireEvent(window, Object.assign(new Event('pageshow'), { persisted })));
  await show(false);
  expect(reload).not.toHaveBeenCalled();
  await show(true);
  expect(reload).toHaveBeenCalledTimes(reloads);
});

test.each([
  ['was prefetched', { deliveryType: 'navigational-prefetch', activationStart: 0 }, 1],
  ['was prerendered', { deliveryType: '', activationStart: 12 }, 1],
  ['was requested by the visit', { deliveryType: '', activationStart: 0 }, 0],
])('a page with an account that %s is reloaded %s', async (_how, timing, reloads) => {
  vi.mocked(reload).mockClear();
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue([timing as never]);
  answer('get', '/activity', () => ok({ events: [], next: null }));
  await openSite('/activity');
  await screen.findByRole('heading', { level: 1 });
  expect(reload).toHaveBeenCalledTimes(reloads);
});

test('a page that is still prerendered is reloaded when the person opens it', async () => {
  vi.mocked(reload).mockClear();
  document.prerendering = true;
  answer('get', '/activity', () => ok({ events: [], next: null }));
  await openSite('/activity');
  await screen.findByRole('heading', { level: 1 });
  delete document.prerendering;
  expect(reload).not.toHaveBeenCalled();
  await act(async () => void fireEvent(document, new Event('prerenderingchange')));
  expect(reload).toHaveBeenCalledOnce();
});
