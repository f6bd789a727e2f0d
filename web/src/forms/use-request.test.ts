import { act, renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { useRequest } from './use-request';

test.each([
  ['resolves', 'done'],
  ['rejects', new Error('too late')],
])('a request that %s after unmounting changes nothing', async (_how, outcome) => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const onFailure = vi.fn(() => true);
  const onDone = vi.fn();
  const { result, unmount } = renderHook(() => useRequest(onFailure));
  let answer: (outcome: string | Promise<never>) => void = () => undefined;
  const answered = new Promise<string>((resolve) => {
    answer = resolve;
  });
  const sent = result.current.send(() => answered, onDone);
  unmount();
  answer(outcome instanceof Error ? Promise.reject(outcome) : outcome);
  await act(() => sent);
  expect(onFailure).not.toHaveBeenCalled();
  expect(onDone).not.toHaveBeenCalled();
  expect(logged.mock.calls).toEqual(outcome instanceof Error ? [['too late']] : []);
});
