// Writes the names of the world's countries into the section `countryvalues` of locales/*.json. The names come from the
// Unicode CLDR (Unicode licence) in Node. Also writes the alternative names and the codes of the countries into
// src/countries/other-names.json, from the CLDR packages of npm. Run `npm run countries` after an upgrade of Node or of
// these packages, and review the changed names before you commit.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

// The country codes of ISO 3166-1 alpha-2 in lower case, and xk (Kosovo), a code that the standard leaves to its users.
const COUNTRY_CODES = `
ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv
bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es
et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie
il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly
ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu
nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm
sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve
vg vi vn vu wf ws xk ye yt za zm zw`
  .trim()
  .split(/\s+/);

// Country names that people type although the CLDR does not contain them. The search ignores accents.
const COMMON_NAMES = /** @type {Record<string, string>} */ ({
  ae: 'UAE, VAE, EAU, Emirates',
  ba: 'Bosnia-Herzegovina, Bosnia y Herzegovina, Bosnien-Herzegowina',
  bd: 'Bangladesh',
  bh: 'Bahrein',
  bm: 'Bermudas',
  bs: 'The Bahamas',
  bw: 'Botswana',
  by: 'Belarus, Weißrussland, Weissrussland',
  cd: `DRC, RDC, DR Congo, DR Kongo, Congo Kinshasa, Democratic Republic of the Congo,
    Demokratische Republik Kongo`,
  cg: 'Congo Brazzaville, Republic of the Congo, Republik Kongo',
  ch: 'Suisse, Svizzera',
  ck: 'Cook-Inseln',
  cn: 'PRC, VR China',
  cv: 'Cape Verde, Cabo Verde, Kap Verde, Kapverden',
  cz: 'Czech Republic, Tschechische Republik, República Checa, República Tcheca, Tschechei, Chéquia',
  de: 'BRD, Bundesrepublik Deutschland',
  dj: 'Djibouti, Jibuti',
  do: 'Domrep',
  fj: 'Fiji',
  fk: 'Falklands',
  gb: `UK, Great Britain, Britain, England, Scotland, Wales, Northern Ireland, Großbritannien,
    Grossbritannien, Schottland, Nordirland, Gran Bretaña, Inglaterra, Escocia, Gales,
    Irlanda del Norte, Grã-Bretanha, País de Gales, Irlanda do Norte`,
  gm: 'The Gambia',
  gw: 'Guinea-Bissau',
  ie: 'Éire, Republic of Ireland',
  iq: 'Iraq',
  ke: 'Kenya',
  kg: 'Kirgistan, Kirgisien',
  kp: 'North Korea, Nordkorea',
  kr: 'South Korea, Korea, Corea, Coreia, Republic of Korea',
  kw: 'Kuweit',
  ky: 'Cayman Islands',
  kz: 'Kazajstán',
  ls: 'Lesotho',
  md: 'Moldawien, Moldavia, Moldova',
  mk: 'Macedonia, Mazedonien',
  mm: 'Burma, Birma, Birmania',
  mu: 'Ilhas Maurício',
  mw: 'Malawi',
  mx: 'Méjico',
  nl: 'Holland, Holanda, The Netherlands',
  nz: 'Nueva Zelandia',
  pw: 'Palau',
  qa: 'Qatar',
  ru: 'Russian Federation, Russische Föderation, Federación Rusa, Federação Russa',
  rw: 'Rwanda',
  sa: 'KSA, Saudiarabien',
  sg: 'Cingapura',
  sk: 'Slovak Republic, Slowakische Republik, República Eslovaca',
  sz: 'Swaziland, Swasiland',
  tj: 'Tajiquistão',
  tl: 'East Timor, Osttimor, Timor Oriental, Timor-Leste',
  tr: 'Turkey, Türkei, Turquía, Türkiye',
  tt: 'Trinidad y Tabago, Trindade e Tobago',
  us: `USA, U.S., America, United States of America, the States, Amerika,
    Vereinigte Staaten von Amerika, EE. UU., EUA, Estados Unidos de América,
    Estados Unidos da América`,
  va: 'Vatican, Holy See, Vatikan, Vaticano, Santa Sede',
  vc: 'St. Vincent and the Grenadines, Saint Vincent and the Grenadines',
  vg: 'BVI',
  vi: 'USVI, US Virgin Islands',
  vn: 'Viet Nam',
  ye: 'Yemen',
  za: 'RSA, Suráfrica',
  zw: 'Zimbabwe',
});

// For these countries the short name is in common use, because the long name is an official title.
const SHORT_NAME_CODES = new Set(['hk', 'mo', 'ps']);

const UMLAUTS = /** @type {Record<string, string>} */ ({ ä: 'ae', ö: 'oe', ü: 'ue' });

const LOCALES = new URL('../../locales/', import.meta.url);

const require = createRequire(import.meta.url);
/** @type {Record<string, { _alpha3?: string }>} */
const codeMappings = require('cldr-core/supplemental/codeMappings.json').supplemental.codeMappings;

/** @type {Record<string, Set<string>>} */
const otherNames = {};
for (const code of COUNTRY_CODES) {
  const alpha3 = codeMappings[code.toUpperCase()]?._alpha3;
  otherNames[code] = new Set([
    ...(alpha3 ? [alpha3] : []),
    ...(COMMON_NAMES[code]?.split(/,\s+/) ?? []),
  ]);
}

for (const name of await readdir(LOCALES)) {
  const [, language] = /^(\w+)\.json$/.exec(name) ?? [];
  if (!language) continue;
  const file = new URL(name, LOCALES);
  const words = JSON.parse(await readFile(file, 'utf8'));
  words.countryvalues = countries(language);
  for (const code of COUNTRY_CODES) {
    for (const other of alternatives(language, code)) otherNames[code]?.add(other);
    const name = words.countryvalues[code];
    const withoutUmlauts = transliterate(name);
    if (language === 'de' && withoutUmlauts) otherNames[code]?.add(withoutUmlauts);
    if (language === 'en') {
      for (const full of inFull(name)) otherNames[code]?.add(full);
    }
  }
  await writeFile(file, `${JSON.stringify(words, null, 2)}\n`);
}

const lists = Object.fromEntries(
  Object.entries(otherNames).map(([code, names]) => [
    code,
    [...new Set([...names].map(fold))].join(' '),
  ]),
);
const file = new URL('../src/countries/other-names.json', import.meta.url);
await writeFile(file, `${JSON.stringify(lists)}\n`);

/**
 * Returns the names of a country that the CLDR marks as alternatives in a language, for example `US-alt-short`.
 * @param {string} language @param {string} code
 */
function alternatives(language, code) {
  const { main } = require(`cldr-localenames-full/main/${language}/territories.json`);
  const names = main[language].localeDisplayNames.territories;
  const marked = Object.keys(names).filter((key) => key.startsWith(`${code.toUpperCase()}-alt-`));
  // In Spanish, RU is a short name of the United Kingdom, but RU is also the code of Russia.
  const isCode = (/** @type {string} */ name) => COUNTRY_CODES.includes(fold(name));
  const listed = marked.map((key) => names[key]).filter((name) => !isCode(name));
  // A name with an explanation in brackets begins with a name that is already in the list.
  return listed.filter((name) => !name.includes('('));
}

/**
 * Folds a country name exactly as `join` in src/countries/search.ts does.
 * @param {string} name
 */
function fold(name) {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * Returns a German name as people write it on a keyboard without umlauts, or null if the name has no umlaut.
 * @param {string} name
 */
function transliterate(name) {
  const typed = name.toLowerCase().replace(/[äöü]/g, (umlaut) => UMLAUTS[umlaut] ?? '');
  return typed === name.toLowerCase() ? null : typed;
}

/**
 * Returns the forms of an English name in which "&" and "St." are words.
 * @param {string} name
 */
function inFull(name) {
  const withAnd = name.replace('&', 'and');
  return [withAnd, withAnd.replace(/^St\./, 'Saint')].filter((full) => full !== name);
}

/** @param {string} language */
function countries(language) {
  // The Spanish texts are for Latin America.
  const locale = language === 'es' ? 'es-419' : language;
  const long = new Intl.DisplayNames([locale], { type: 'region', fallback: 'none' });
  const short = new Intl.DisplayNames([locale], {
    type: 'region',
    style: 'short',
    fallback: 'none',
  });
  return Object.fromEntries(
    COUNTRY_CODES.map((code) => {
      const name = (SHORT_NAME_CODES.has(code) ? short : long).of(code.toUpperCase());
      if (!name) throw new Error(`no name for the country ${code} in ${language}`);
      return [code, name];
    }),
  );
}
