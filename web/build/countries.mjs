// Writes the names of the world's countries into the section `countryvalues` of locales/*.json. The names come from the
// Unicode CLDR (Unicode licence) in Node, so no package is needed. Run `npm run countries` after an upgrade of Node and
// review the difference before you commit it.
import { readdir, readFile, writeFile } from 'node:fs/promises';

// ISO 3166-1 alpha-2 in lower case, and xk, which the standard leaves to its users.
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

// The short names of these countries are in common use; their long names are official titles.
const SHORT_NAME_CODES = new Set(['hk', 'mo', 'ps']);

const LOCALES = new URL('../../locales/', import.meta.url);

for (const name of await readdir(LOCALES)) {
  const [, language] = /^(\w+)\.json$/.exec(name) ?? [];
  if (!language) continue;
  const file = new URL(name, LOCALES);
  const words = JSON.parse(await readFile(file, 'utf8'));
  words.countryvalues = countries(language);
  await writeFile(file, `${JSON.stringify(words, null, 2)}\n`);
}

/** @param {string} language */
function countries(language) {
  const long = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
  const short = new Intl.DisplayNames([language], {
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
