import { afterEach, expect, test, vi } from 'vitest';
import { sendEarlyRequests } from './requests';

afterEach(() => vi.unstubAllGlobals());

/** Loads the page with this path. Returns the early responses and the mock of `fetch`. */
function load(path: string, answer: () => Promise<Response>) {
  history.replaceState(null, '', path);
  const fetched = vi.fn(answer);
  vi.stubGlobal('fetch', fetched);
  return { responses: sendEarlyRequests(), fetched };
}

test('the settings request the data of the account, with the timeout of all requests', async () => {
  const { responses, fetched } = load('/account/settings', async () => new Response('{}'));
  expect([...responses.keys()]).toEqual(['/users/me', '/security']);
  expect(await (await responses.get('/security'))?.text()).toBe('{}');
  expect(fetched).toHaveBeenCalledWith('/account/account-api/users/me', {
    signal: expect.any(AbortSignal),
  });
});

test('other pages request nothing', () => {
  for (const path of ['/account/', '/account/settings/security', '/account/signup']) {
    expect(load(path, async () => new Response()).fetched).not.toHaveBeenCalled();
  }
});

test('a request without a response is reported by the screen only', async () => {
  const { responses } = load('/account/settings', () => Promise.reject(new TypeError('offline')));
  await expect(responses.get('/users/me')).rejects.toThrow('offline');
});
