import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { useLoaded } from './use-loaded';

/** Creates a load function. `respond` and `fail` settle its promises, by the number of the call. */
function controlledLoad() {
  const calls: { resolve: (data: string) => void; reject: (failure: Error) => void }[] = [];
  const load = vi.fn(
    () => new Promise<string>((resolve, reject) => calls.push({ resolve, reject })),
  );
  const respond = (index: number, data: string) => act(async () => calls[index]?.resolve(data));
  const fail = (index: number, failure: Error) => act(async () => calls[index]?.reject(failure));
  return { load, respond, fail };
}

test('data are loading, then loaded', async () => {
  const { load, respond } = controlledLoad();
  const onLoaded = vi.fn();
  const { result } = renderHook(() => useLoaded(load, { onLoaded }));
  expect(result.current.state).toEqual({ kind: 'loading' });
  await respond(0, 'data');
  expect(result.current.state).toEqual({ kind: 'loaded', data: 'data' });
  expect(onLoaded).toHaveBeenCalledExactlyOnceWith('data');
  expect(load).toHaveBeenCalledOnce();
});

test('a failure is logged, and stays until a reload succeeds', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { load, respond, fail } = controlledLoad();
  const { result } = renderHook(() => useLoaded(load));
  const failure = new Error('unreachable');
  await fail(0, failure);
  expect(result.current.state).toEqual({ kind: 'failed', failure });
  expect(logged).toHaveBeenCalledExactlyOnceWith('unreachable');
  expect(result.current.reloading).toBe(false);
  act(() => result.current.reload());
  expect(result.current).toMatchObject({ state: { kind: 'failed', failure }, reloading: true });
  await respond(1, 'data');
  expect(result.current).toMatchObject({
    state: { kind: 'loaded', data: 'data' },
    reloading: false,
  });
});

test('a failure that the component handles is not logged and changes nothing', async () => {
  const { load, fail } = controlledLoad();
  const onFailure = vi.fn(() => true);
  const { result } = renderHook(() => useLoaded(load, { onFailure }));
  await fail(0, new Error('signed out'));
  expect(onFailure).toHaveBeenCalledOnce();
  expect(result.current.state).toEqual({ kind: 'loading' });
});

test('loaded data stay during a reload, and a failed reload replaces them', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { load, respond, fail } = controlledLoad();
  const { result } = renderHook(() => useLoaded(load));
  await respond(0, 'data');
  act(() => result.current.reload());
  expect(result.current.state).toEqual({ kind: 'loaded', data: 'data' });
  await fail(1, new Error('unreachable'));
  expect(result.current.state.kind).toBe('failed');
});

test('a new load drops the old data and ignores a late response to the old load', async () => {
  const first = controlledLoad();
  const second = controlledLoad();
  const { result, rerender } = renderHook(({ load }) => useLoaded(load), {
    initialProps: { load: first.load },
  });
  rerender({ load: second.load });
  await first.respond(0, 'old');
  expect(result.current.state).toEqual({ kind: 'loading' });
  await second.respond(0, 'new');
  expect(result.current.state).toEqual({ kind: 'loaded', data: 'new' });
  rerender({ load: first.load });
  expect(result.current.state).toEqual({ kind: 'loading' });
  await waitFor(() => expect(first.load).toHaveBeenCalledTimes(2));
});

test('a response after unmounting is ignored', async () => {
  const { load, respond } = controlledLoad();
  const onLoaded = vi.fn();
  const { unmount } = renderHook(() => useLoaded(load, { onLoaded }));
  unmount();
  await respond(0, 'late');
  expect(onLoaded).not.toHaveBeenCalled();
});

test('without a load function nothing is loaded', () => {
  const { result } = renderHook(() => useLoaded<string>(null));
  expect(result.current.state).toEqual({ kind: 'loading' });
});

test('loaded data can be changed in place', async () => {
  const { load, respond } = controlledLoad();
  const { result } = renderHook(() => useLoaded(load));
  await respond(0, 'data');
  act(() => result.current.update((data) => `${data}!`));
  expect(result.current.state).toEqual({ kind: 'loaded', data: 'data!' });
});
