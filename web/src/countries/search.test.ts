import { expect, test } from 'vitest';
import de from '../../../locales/de.json';
import en from '../../../locales/en.json';
import es from '../../../locales/es.json';
import pt from '../../../locales/pt.json';
import { countriesOf, findCountry, searchCountries, sortCountries } from './search';

const english = sortCountries(countriesOf(en.countryvalues), 'en');
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
  const german = sortCountries(countriesOf(de.countryvalues), 'de').map(({ name }) => name);
  expect(german.indexOf('Ägypten')).toBeLessThan(german.indexOf('Belgien'));
  expect(german.indexOf('Österreich')).toBeLessThan(german.indexOf('Polen'));
});

test('only a complete name selects a country', () => {
  expect(findCountry(english, ' germany ')?.code).toBe('de');
  expect(findCountry(english, 'german')).toBeNull();
  expect(findCountry(english, '')).toBeNull();
});

/** Parses names with the code of their country: `Holland nl, Burma mm`. */
const rowsOf = (rows: string) =>
  rows.split(/,\s+/).map((row) => [row.slice(0, -3), row.slice(-2)] as const);

test.each(
  rowsOf(`usa us, U.S.A. us, u s a us, america us, United States of America us, uk gb, GBR gb,
    England gb, scotland gb, turkey tr, Holland nl, Czech Republic cz, ivory coast ci, deu de,
    viet nam vn, Timor-Leste tl, east timor tl, Swaziland sz, Oesterreich at, Suedafrika za,
    EEUU us, EUA us, UAE ae, Bosnia and Herzegovina ba, Trinidad & Tobago tt, DR Congo cd,
    Republic of the Congo cg, Republic of Korea kr, Burma mm, Moldavia md, Slovak Republic sk,
    Saint Kitts and Nevis kn, St Vincent and the Grenadines vc, US Virgin Islands vi,
    The Netherlands nl`),
)('%s finds its country first', (text, code) => {
  expect(found(text)[0]).toBe(code);
  expect(findCountry(english, text)?.code).toBe(code);
});

test('the start of another name finds its country', () => {
  expect(found('engl')).toContain('gb');
  expect(found('uk')).toEqual(['gb', 'ua']);
  expect(found('niger')).toEqual(['ne', 'ng']);
  expect(found('eng')).toEqual(['gb']);
  expect(found('sc')).toEqual(['sc', 'gb']);
  expect(found('tur')).toEqual(['tr', 'tm', 'tc']);
});

test('the start of a code finds no country, a whole code does', () => {
  expect(found('gb')).toEqual(['gb']);
  expect(found('gbr')).toEqual(['gb']);
  expect(found('cze')[0]).toBe('cz');
});

test.each([
  ['de', de, ['Türkei', 'Amerika', 'Großbritannien', 'England', 'Schottland', 'Wales']],
  ['es', es, ['Turquía', 'América', 'Gran Bretaña', 'Inglaterra', 'Escocia', 'Gales']],
  ['pt', pt, ['Turquia', 'América', 'Grã-Bretanha', 'Inglaterra', 'Escócia', 'País de Gales']],
] as const)('%s: its own and the English other names', (language, { countryvalues }, own) => {
  const list = sortCountries(countriesOf(countryvalues), language);
  const first = (text: string) => searchCountries(list, text)[0]?.code;
  expect(own.map(first)).toEqual(['tr', 'us', 'gb', 'gb', 'gb', 'gb']);
  expect(['turkey', 'usa', 'U S A', 'uk', 'england'].map(first)).toEqual([
    'tr',
    'us',
    'us',
    'gb',
    'gb',
  ]);
});

test.each([
  [
    'de',
    de,
    `Weissrussland by, Weißrussland by, Tschechei cz, Tschechien cz, Slowakei sk, Moldawien md,
    VAE ae, Birma mm, Kapverden cv, Elfenbeinküste ci, Mazedonien mk, Bosnien-Herzegowina ba,
    Nordkorea kp, Südkorea kr, DR Kongo cd, Republik Kongo cg, Qatar qa, Türkiye tr,
    Zimbabwe zw, VR China cn, Kirgistan kg`,
  ],
  [
    'es',
    es,
    `EAU ae, Birmania mm, Cabo Verde cv, Costa de Marfil ci, Macedonia mk,
    Bosnia y Herzegovina ba, Corea del Norte kp, Corea del Sur kr, RDC cd, República Checa cz,
    Belarús by, Moldova md, Qatar qa, Kenya ke, Nueva Zelandia nz, Méjico mx`,
  ],
  [
    'pt',
    pt,
    `EAU ae, Birmânia mm, Cabo Verde cv, Costa do Marfim ci, Macedônia mk, Bósnia ba,
    Coreia do Norte kp, Coreia do Sul kr, RDC cd, República Tcheca cz, Belarus by, Moldova md,
    Qatar qa, Zimbabwe zw, Cingapura sg, Ilhas Maurício mu`,
  ],
] as const)('%s: common short names and abbreviations', (language, { countryvalues }, rows) => {
  const list = sortCountries(countriesOf(countryvalues), language);
  const names = rowsOf(rows);
  expect(names.map(([name]) => [name, searchCountries(list, name)[0]?.code])).toEqual(names);
});

test('no name or code belongs to two countries', () => {
  const all = english.flatMap(({ codes, otherNames }) => [...new Set([...codes, ...otherNames])]);
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
});
