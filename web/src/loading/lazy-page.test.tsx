import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createRoot } from 'react-dom/client';
import { beforeEach, expect, test, vi } from 'vitest';
import { OutOfDate, Unreachable } from '../api/client';
import { Card } from '../components/card';
import { ConfigProvider } from '../config';
import { ErrorBoundary } from '../shell/error-boundary';
import { answer, config, networkError, ok } from '../testing/api';
import { LazyPage, loadScript, type OnceLoader, once } from './lazy-page';
import { reload } from './load-page';

vi.mock('./load-page');

const SENTENCE = 'We can’t reach the server.';

beforeEach(() => {
  vi.mocked(reload).mockClear();
  history.replaceState(null, '', '/account/signup');
  setRelease('first');
});

function missing() {
  return vi.fn().mockRejectedValue(new TypeError('Failed to fetch dynamically imported module'));
}

/** Sets the entry script, by which a page knows its release. */
function setRelease(name: string) {
  document.head.innerHTML = `<link rel="modulepreload" id="entry" href="/account/assets/${name}.js">`;
}

async function open(load: OnceLoader) {
  await act(async () => {
    render(
      <ConfigProvider value={config}>
        <ErrorBoundary path="/">
          <LazyPage load={load} title="sign_up.title" />
        </ErrorBoundary>
      </ConfigProvider>,
    );
  });
}

/** A script with the sign-up screen, which is loaded as soon as the test calls `arrive`. */
function lateScript() {
  const page = {
    default: () => (
      <Card title="Create account">
        <p>the form</p>
      </Card>
    ),
  };
  let arrive: () => void = () => undefined;
  const script = new Promise<typeof page>((resolve) => {
    arrive = () => resolve(page);
  });
  return { load: once(() => script), arrive: () => arrive() };
}

test('a missing script is requested once, and Try Again reloads the page', async () => {
  const failures = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  answer('get', '/config', networkError);
  const load = missing();
  await open(once(load));
  expect(await screen.findByRole('alert')).toHaveTextContent(SENTENCE);
  expect(reload).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(reload).toHaveBeenCalledOnce();
  expect(load).toHaveBeenCalledOnce();
  expect(failures).toHaveBeenCalled();
});

test('if the server responds, the page is reloaded once for each release', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  answer('get', '/config', () => ok(config));
  const first = missing();
  await open(once(first));
  await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
  cleanup();

  // The reloaded page has the same history entry, and the file is still missing.
  const second = missing();
  await open(once(second));
  expect(await screen.findByRole('alert')).toHaveTextContent('This page is out of date.');
  expect(reload).toHaveBeenCalledOnce();
  await userEvent.click(screen.getByRole('button', { name: 'Reload' }));
  expect(reload).toHaveBeenCalledTimes(2);
  cleanup();

  setRelease('next');
  const third = missing();
  await open(once(third));
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(3));
  expect([first, second, third].map((load) => load.mock.calls.length)).toEqual([1, 1, 1]);
});

test('a screen that was loaded in advance appears without the loading indicator', async () => {
  const load = once(vi.fn().mockResolvedValue({ default: () => <p>here</p> }));
  await load.preload();
  render(
    <ConfigProvider value={config}>
      <LazyPage load={load} title="sign_up.title" />
    </ConfigProvider>,
  );
  expect(screen.getByText('here')).toBeVisible();
});

test('the title appears while the script is loaded', async () => {
  await open(once(() => new Promise(() => undefined)));
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Create account');
  expect(document.title).toBe('Create account · Couch & Moon');
  expect(screen.getByText('Loading…')).toBeInTheDocument();
});

test('a script that arrives late does not take the focus from an element outside of the screen', async () => {
  const { load, arrive } = lateScript();
  render(
    <ConfigProvider value={config}>
      <Card title="Sign in">{null}</Card>
    </ConfigProvider>,
  ).unmount();
  render(<button type="button">Language</button>);
  await open(load);
  expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  const language = screen.getByRole('button', { name: 'Language' });
  language.focus();
  await act(async () => arrive());
  expect(screen.getByText('the form')).toBeVisible();
  expect(language).toHaveFocus();
});

test('the heading of a script that arrives late keeps the focus of the placeholder', async () => {
  const { load, arrive } = lateScript();
  await open(load);
  screen.getByRole('heading', { level: 1 }).focus();
  await act(async () => arrive());
  expect(screen.getByText('the form')).toBeVisible();
  expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
});

test('a script that could not be loaded in advance is requested again', async () => {
  const load = missing().mockResolvedValue({ default: () => <p>here</p> });
  load.mockRejectedValueOnce(new TypeError('Failed to fetch dynamically imported module'));
  const screenOf = once(load);
  await screenOf.preload();
  expect(reload).not.toHaveBeenCalled();
  await open(screenOf);
  expect(await screen.findByText('here')).toBeVisible();
  expect(load).toHaveBeenCalledTimes(2);
});

test('a mounted screen requests an unreachable script at each call, and does not reload the page', async () => {
  answer('get', '/config', networkError);
  const load = missing();
  load.mockResolvedValueOnce('first').mockRejectedValueOnce(new TypeError('Failed to fetch'));
  await expect(loadScript(load)).resolves.toBe('first');
  await expect(loadScript(load)).rejects.toThrow(Unreachable);
  load.mockResolvedValueOnce('third');
  await expect(loadScript(load)).resolves.toBe('third');
  expect(reload).not.toHaveBeenCalled();
});

test('a reload for a mounted screen keeps the typed email address, and says why the form is empty', async () => {
  answer('get', '/config', () => ok(config));
  history.replaceState({ page: '/account/activity' }, '');
  render(<input defaultValue="ada@example.com" name="email" />);
  void loadScript(missing());
  await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
  expect(history.state).toEqual({
    page: '/account/activity',
    email: 'ada@example.com',
    notice: { text: 'sign_in.session_lost', neutral: true },
    reloaded: ['http://localhost/account/assets/first.js'],
  });
  await expect(loadScript(missing())).rejects.toThrow(OutOfDate);
});

/** The test does not use `act`, because `act` would render only after the script has loaded. */
test('a screen that is opened while its script is preloaded renders without an error', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  let arrive: () => void = () => undefined;
  const script = new Promise<{ default: () => string }>((resolve) => {
    arrive = () => resolve({ default: () => 'the screen' });
  });
  const load = once(() => script);
  const recovered = vi.fn();
  const container = document.createElement('div');
  const root = createRoot(container, { onRecoverableError: recovered });
  root.render(
    <ConfigProvider value={config}>
      <LazyPage load={load} title="sign_up.title" />
    </ConfigProvider>,
  );
  await vi.waitFor(() => expect(container.childNodes.length).toBeGreaterThan(0));
  void load.preload();
  arrive();
  await vi.waitFor(() => expect(container).toHaveTextContent('the screen'));
  expect(recovered).not.toHaveBeenCalled();
  root.unmount();
  vi.unstubAllGlobals();
});
