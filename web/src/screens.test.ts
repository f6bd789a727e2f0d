import { expect, test } from 'vitest';
import { parse } from '../build/route-pattern';
import { STATES } from '../gallery/states';
import { SCREENS } from './screens';
import { LINK_TOKENS } from './url/link-tokens';

/** The states of the gallery that are no row of `screens.json`: the support view, and `shell`, the page layout. */
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

test('a path opens its own screen, with or without a slash at its end', () => {
  const paths = SCREENS.map(({ path }) => path ?? '*');
  for (const path of paths.filter((path) => path !== '*')) {
    for (const opened of [path, path.toUpperCase(), path === '/' ? path : `${path}/`]) {
      expect(paths.filter((other) => parse(other).pattern.test(opened))).toEqual([path, '*']);
    }
  }
  expect(paths.filter((path) => parse(path).pattern.test('/no/such/screen'))).toEqual(['*']);
});
