import { expect, test } from 'vitest';
import de from '../../../locales/de.json';
import en from '../../../locales/en.json';
import { findCountry, searchCountries, sortCountries } from './search';

const english = sortCountries(en.countryvalues, 'en');
const found = (text: string) => searchCountries(english, text).map((country) => country.code);

test('accents and case do not matter', () => {
  expect(found('CURACAO')).toEqual(['cw']);
  expect(found('Réunion')).toEqual(['re']);
  expect(found('aland')).toEqual(['ax']);
});

test('the beginning of any word counts, and names that begin so come first', () => {
  expect(found('guinea')).toEqual(['gn', 'gw', 'gq', 'pg']);
  expect(found('states')).toEqual(['us']);
  expect(found('united st')).toEqual(['us']);
});

test('a code finds its country first', () => {
  expect(found('us')[0]).toBe('us');
  expect(found('ch')[0]).toBe('ch');
});

test('an empty text matches every country, and nonsense matches none', () => {
  expect(found('  ')).toHaveLength(english.length);
  expect(found('qqq')).toEqual([]);
});

test('the list follows the alphabet of its language', () => {
  const german = sortCountries(de.countryvalues, 'de').map((country) => country.name);
  expect(german.indexOf('Ägypten')).toBeLessThan(german.indexOf('Belgien'));
  expect(german.indexOf('Österreich')).toBeLessThan(german.indexOf('Polen'));
});

test('only a complete name selects a country', () => {
  expect(findCountry(english, ' germany ')?.code).toBe('de');
  expect(findCountry(english, 'german')).toBeNull();
  expect(findCountry(english, '')).toBeNull();
});
