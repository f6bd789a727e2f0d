import { expect, test } from 'vitest';
import { STATES } from '../gallery/states';
import { SCREENS } from './screens';

test('the gallery shows each screen with an address', () => {
  const expected = SCREENS.filter(({ path }) => path !== null).map(({ name }) => name);
  expect(Object.keys(STATES).filter((name) => name !== 'shell')).toEqual(expected);
});

test('names and paths are unique, and one screen is for all other addresses', () => {
  for (const values of [SCREENS.map(({ name }) => name), SCREENS.map(({ path }) => path)]) {
    expect(new Set(values).size).toBe(values.length);
  }
  // The router uses the first match.
  expect(SCREENS.findIndex(({ path }) => path === null)).toBe(SCREENS.length - 1);
});
