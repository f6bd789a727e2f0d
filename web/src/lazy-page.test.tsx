import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { ConfigProvider } from './config';
import { LazyPage, type Loader, once } from './lazy-page';
import { reload } from './load-page';
import { ErrorBoundary } from './shell/error-boundary';
import { answer, config, networkError, ok } from './testing/api';

vi.mock('./load-page');

const SENTENCE = 'We can’t reach the server.';

beforeEach(() => {
  vi.mocked(reload).mockClear();
  history.replaceState(null, '', '/account/signup');
});

function missing() {
  return vi.fn().mockRejectedValue(new TypeError('Failed to fetch dynamically imported module'));
}

async function open(load: Loader) {
  const screenOf = once(load);
  await act(async () => {
    render(
      <ConfigProvider value={config}>
        <ErrorBoundary path="/">
          <LazyPage load={screenOf} />
        </ErrorBoundary>
      </ConfigProvider>,
    );
  });
}

// finding: B1
test('a missing script is requested once, and Try Again reloads the page', async () => {
  const failures = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  answer('get', '/config', networkError);
  const load = missing();
  await open(load);
  expect(await screen.findByRole('alert')).toHaveTextContent(SENTENCE);
  expect(reload).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(reload).toHaveBeenCalledOnce();
  expect(load).toHaveBeenCalledOnce();
  expect(failures).toHaveBeenCalled();
});

// finding: B1
test('if the server responds, the page is reloaded once automatically', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  answer('get', '/config', () => ok(config));
  const first = missing();
  await open(first);
  await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
  expect(history.state).toEqual({ reloaded: true });

  // The same history entry after the reload; the file is still missing.
  const second = missing();
  await open(second);
  expect(await screen.findByRole('alert')).toHaveTextContent(SENTENCE);
  expect(reload).toHaveBeenCalledOnce();
  expect([first, second].map((load) => load.mock.calls.length)).toEqual([1, 1]);
});

// finding: B1
test('a mounted screen may be reloaded again after the next release', async () => {
  history.replaceState({ reloaded: true, link: { token: 'secret' } }, '');
  const load = vi.fn().mockResolvedValue({ default: () => <p>here</p> });
  await open(load);
  expect(await screen.findByText('here')).toBeVisible();
  expect(history.state).toEqual({ link: { token: 'secret' } });
  expect(load).toHaveBeenCalledOnce();
});
