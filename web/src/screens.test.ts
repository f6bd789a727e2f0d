import { expect, test } from 'vitest';
import { STATES } from '../gallery/states';
import { SCREENS } from './screens';
import { LINK_TOKENS } from './url/link-tokens';

/** The gallery states that have no row: the support view is a separate build, and `shell` is the layout. */
const OUTSIDE = ['shell', 'support'];

test('the gallery shows each screen with an address', () => {
  const expected = SCREENS.filter(({ path }) => path !== null).map(({ name }) => name);
  expect(Object.keys(STATES).filter((name) => !OUTSIDE.includes(name))).toEqual(expected);
});

test('names and paths are unique', () => {
  for (const values of [SCREENS.map(({ name }) => name), SCREENS.map(({ path }) => path)]) {
    expect(new Set(values).size).toBe(values.length);
  }
});

test('the secrets that are moved out of the address are those of the screens', () => {
  const tokens = new Set(SCREENS.flatMap(({ tokens = [] }) => tokens));
  expect([...tokens].sort()).toEqual([...LINK_TOKENS].sort());
});
