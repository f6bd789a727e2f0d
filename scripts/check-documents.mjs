// Checks that the links, headings, paths, make targets and cited names in the documents exist, that the tests cited by
// docs/asvs.md exist, and that each direct dependency has a reason in docs/decisions. Usage: node scripts/check-documents.mjs
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

process.chdir(join(import.meta.dirname, '..'));
const read = (path) => readFileSync(path, 'utf8');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);
const documents = files.filter((path) => /^(README|CONTRIBUTING|SECURITY|(docs|deploy)\/.*)\.md$/.test(path));
const sources = files.filter((path) => /\.(rs|tsx?|m?js|sh|sql|toml|yaml|yml|conf|service)$|^Makefile$/.test(path));
const topFolders = new Set(files.filter((path) => path.includes('/')).map((path) => path.split('/')[0]));
/** A file of MediaWiki, and products of the build. */
const OUTSIDE = /^extensions\/OpenIDConnect\/composer\.json$|^target\//;

const found = [];
const lineOf = (text, index) => text.slice(0, index).split('\n').length;
const report = (path, text, index, fault) => found.push(`${path}:${lineOf(text, index)}: ${fault}`);

function hasHeading(path, heading) {
  const wanted = heading.replace(/\s+/g, ' ');
  return read(path).split('\n').some((line) => line.startsWith('#') && line.replace(/^#+ /, '') === wanted);
}

/** `docs/operating.md, "Install"` in a document or a comment cites a heading. */
function checkHeading(path, text, index, target, heading) {
  if (!files.includes(target)) report(path, text, index, `'${target}' does not exist`);
  else if (heading && !hasHeading(target, heading)) report(path, text, index, `'${target}' has no heading '${heading}'`);
}

function checkLinks(path, text) {
  for (const { index, 1: target, 2: heading } of text.matchAll(/\]\(([^)\s#]+)[^)]*\)(?:,?\s+"([^"]+)")?/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const linked = join(dirname(path), target).replace(/\/$/, '');
    if (linked.endsWith('.md')) checkHeading(path, text, index, linked, heading);
    else if (!isFile(linked)) report(path, text, index, `link to '${target}' leads nowhere`);
  }
}

const isFile = (path) => files.some((file) => file === path || file.startsWith(`${path}/`));

/** A path from a top folder is complete; any other may be a short form, such as `api/body.rs`. */
function hasPath(name) {
  const start = topFolders.has(name.split('/')[0]) ? '^' : '(^|/)';
  const glob = name
    .replace(/\/$/, '')
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(.*/)?'));
  const wanted = new RegExp(`${start}${glob}(\\.rs)?(/|$)`);
  return files.some((file) => wanted.test(file));
}

function checkPaths(path, text) {
  const prose = text.replace(/^```[\s\S]*?^```/gm, (code) => code.replace(/[^\n]/g, ' '));
  for (const { index, 1: name } of prose.matchAll(/`([\w.*{}/-]+)`/g)) {
    const isPath = name.includes('/')
      ? topFolders.has(name.split('/')[0]) || /\.(rs|tsx?|m?js|sh|sql|toml|json|md|conf|yml|css|html|service)$/.test(name)
      : /^[\w-]+\.(rs|tsx?|mjs|sh)$/.test(name);
    if (isPath && !OUTSIDE.test(name) && !hasPath(name)) report(path, text, index, `'${name}' does not exist`);
  }
}

/** Targets of make, and names with their source file: `make check`, `start` and `end` in `session.rs`, `session.rs::start`. */
function checkNames(path, text) {
  for (const { index, 1: target } of text.matchAll(/(?:`|^ {4})make\s+([\w-]+)/gm)) {
    if (!new RegExp(`^${target}:`, 'm').test(read('Makefile'))) report(path, text, index, `make has no target '${target}'`);
  }
  const cited = [
    ...text.matchAll(/(?<names>(?:`[\w:]+`,?\s(?:and\s)?)+)in\s`(?<file>[\w/-]+\.(?:rs|tsx?|mjs))`/g),
    ...text.matchAll(/`(?<file>[\w/-]+\.rs)::(?<names>\w+)`/g),
  ];
  for (const { index, groups } of cited) {
    const code = sources.filter((file) => `/${file}`.endsWith(`/${groups.file}`)).map(read).join();
    const missing = groups.names.match(/\w+/g).filter((name) => name !== 'and' && !new RegExp(`\\b${name}\\b`).test(code));
    for (const name of missing) report(path, text, index, `'${groups.file}' has no '${name}'`);
  }
}

/** The tests and promises in the last cells of the rows. Sources write apostrophes in several ways. */
function checkCitations(path, text) {
  const plain = (words) => words.replaceAll("\\'", "'").replaceAll('’', "'");
  const tests = sources.filter((file) => /\.(rs|tsx?|mjs)$/.test(file)).map((file) => [`/${file}`, plain(read(file))]);
  const some = (isFile, what) => tests.some(([file, code]) => isFile(file) && what.test(code));
  const escaped = (words) => plain(words).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  for (const { index, 0: row } of text.matchAll(/^\| \d+\.\d+\.\d+ \|.*$/gm)) {
    const cited = row.split(' | ').at(-1);
    const missing = [
      ...[...cited.matchAll(/`([\w./-]+?)(?:\.rs)?::(\w+|\*)`/g)].filter(
        ([, file, name]) =>
          !some(
            (at) => at.endsWith(`/${file}.rs`) || at.includes(`/${file}/`),
            new RegExp(`\\bfn ${name.replace('*', '\\w+')}\\b`),
          ),
      ),
      ...[...cited.matchAll(/(?:web|e2e) `([^`]+)`/g)].filter(
        ([, title]) => !some((at) => /\.(test|spec)\.tsx?$/.test(at), new RegExp(escaped(title))),
      ),
      ...[...cited.matchAll(/\b([A-Z]{2}-\d+)\b(?! to)/g)].filter(
        ([, promise]) => !some(() => true, new RegExp(`security: .*\\b${promise}\\b`)),
      ),
    ];
    for (const [citation] of missing) report(path, text, index, `${citation} does not exist`);
  }
}

function checkReasons() {
  const reasons = read('docs/decisions/dependencies.md') + read('docs/decisions/front-end.md');
  const crates = [...read('Cargo.toml').matchAll(/^\[(?:.*\.)?(?:dev-|build-)?dependencies\]\n((?:.+\n)+)/gm)];
  const names = crates.flatMap(([, table]) => [...table.matchAll(/^([\w-]+) =/gm)].map(([, name]) => name));
  const packages = ['web', 'e2e', 'examples/sample-app'].map((folder) => JSON.parse(read(`${folder}/package.json`)));
  names.push(...packages.flatMap((own) => Object.keys({ ...own.dependencies, ...own.devDependencies })));
  const isNamed = (name) => new RegExp(`(?<![\\w@/-])${name.replace('.', '\\.')}(?![\\w/-])`).test(reasons);
  const missing = names.filter((name) => !isNamed(name));
  found.push(...missing.map((name) => `docs/decisions/dependencies.md: no reason for ${name}`));
  const tables = reasons.matchAll(/^\| (?:crate|package) \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm);
  const cells = [...tables].flatMap(([, rows]) => [...rows.matchAll(/^\| (.+?) \|/gm)].map(([, cell]) => cell));
  const listed = cells.flatMap((cell) => cell.replace(/ \([^)]*\)/g, '').split(', '));
  const gone = listed.filter((name) => !names.includes(name));
  found.push(...gone.map((name) => `docs/decisions/dependencies.md: ${name} is no direct dependency`));
}

for (const path of documents) {
  const text = read(path);
  checkLinks(path, text);
  checkPaths(path, text);
  checkNames(path, text);
  if (path === 'docs/asvs.md') checkCitations(path, text);
}
for (const path of sources) {
  const text = read(path);
  const cited = text.matchAll(/\b(docs\/[\w/-]+\.md)(?:, \\?"([^"\\\n]+))?/g);
  for (const { index, 1: target, 2: heading } of cited) checkHeading(path, text, index, target, heading);
}
checkReasons();
for (const fault of found) console.error(fault);
process.exitCode = found.length > 0 ? 1 : 0;
