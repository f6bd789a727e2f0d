// Checks docs/asvs.md against the repository: each test and promise that a row cites exists, and the table of
// counts matches the rows. Usage: node scripts/documents/asvs.mjs
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);
const STATUSES = ['met', 'part', 'not met', 'operator', 'n/a'];
const ROW = /^\| (\d+\.\d+\.\d+) \| ([123]) \| (.*) \|$/;

/** The rows of the document with their cells. The last cell names the tests. */
export function rows(document) {
  return document.split('\n').flatMap((line) => {
    const [, id, level, rest] = line.match(ROW) ?? [];
    if (!id) return [];
    const [about, status, ...cells] = rest.split(' | ');
    return [{ id, level, about, status, how: cells.slice(0, -1).join(' | '), tests: cells.at(-1) }];
  });
}

/** `sources`: the text of each source file by its path. Returns one line per fault. */
export function faults(document, sources) {
  const all = rows(document);
  const found = [];
  for (const { id, status, how, tests } of all) {
    if (!STATUSES.includes(status)) found.push(`${id}: '${status}' is not a status`);
    if (!how) found.push(`${id}: the row is empty`);
    found.push(...missing(tests ?? '', sources).map((what) => `${id}: ${what} does not exist`));
  }
  return [...found, ...wrongCounts(document, all)];
}

function missing(tests, sources) {
  const [functions, titles, promises] = [
    [...tests.matchAll(/`([\w./-]+)::(\w+|\*)`/g)].filter(
      ([, file, name]) => !hasFunction(sources, file.replace(/\.rs$/, ''), name),
    ),
    [...tests.matchAll(/(?:web|e2e) `([^`]+)`/g)].filter(
      ([, title]) => !hasText(sources, /\.(test|spec)\.tsx?$/, plain(title)),
    ),
    [...tests.matchAll(/\b([A-Z]{2}-\d+)\b(?! to)/g)].filter(
      ([, promise]) => !hasText(sources, /./, new RegExp(`security: .*\\b${promise}\\b`)),
    ),
  ];
  return [...functions, ...titles, ...promises].map(([text]) => text);
}

function hasFunction(sources, file, name) {
  const isThere = (path) => path.endsWith(`/${file}.rs`) || path.includes(`/${file}/`);
  const paths = [...sources.keys()].filter((path) => path.endsWith('.rs') && isThere(`/${path}`));
  const wanted = name === '*' ? /fn / : new RegExp(`\\bfn ${name}\\b`);
  return paths.some((path) => wanted.test(sources.get(path)));
}

function hasText(sources, where, what) {
  const holds = (text) => (what instanceof RegExp ? what.test(text) : plain(text).includes(what));
  return [...sources].some(([path, text]) => where.test(path) && holds(text));
}

/** Sources write apostrophes in several ways. */
function plain(text) {
  return text.replaceAll("\\'", "'").replaceAll('’', "'");
}

function wrongCounts(document, all) {
  return ['1', '2', '3'].flatMap((level) => {
    const count = (status) => all.filter((r) => r.level === level && r.status === status).length;
    const line = `| ${[level, ...STATUSES.map(count)].join(' | ')} |`;
    return document.split('\n').includes(line) ? [] : [`level ${level}: the counts are ${line}`];
  });
}

function read(path) {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const listed = execFileSync('git', ['ls-files', 'src', 'tests', 'web/src', 'web/build', 'e2e', 'scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const paths = listed.split('\n').filter((path) => /\.(rs|tsx?|mjs)$/.test(path));
  const found = faults(read('docs/asvs.md'), new Map(paths.map((path) => [path, read(path)])));
  for (const fault of found) console.error(`docs/asvs.md: ${fault}`);
  process.exitCode = found.length ? 1 : 0;
}
