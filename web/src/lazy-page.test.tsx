import { expect, test, vi } from 'vitest';
import { once } from './lazy-page';

test('a screen whose code cannot be had says so to people, and asks again the next time', async () => {
  const page = { default: () => null };
  const load = vi
    .fn()
    .mockRejectedValueOnce(new TypeError('Failed to fetch dynamically imported module: /x.js'))
    .mockResolvedValueOnce(page);
  const screen = once(load);
  await expect(screen()).rejects.toThrow('We can’t reach the server.');
  await expect(screen()).resolves.toBe(page);
  await expect(screen()).resolves.toBe(page);
  expect(load).toHaveBeenCalledTimes(2);
});
