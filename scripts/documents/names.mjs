// Checks the documents against the repository: each file, function, type and setting that a document names exists,
// each relative link leads to a file, each cited heading exists (in comments of the code too), and no line of prose is
// too long. Usage: node scripts/documents/names.mjs
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { inlineCode, lines } from './markdown.mjs';

const ROOT = new URL('../../', import.meta.url);
const LONGEST_LINE = 120;
/** Written by `make bench` and by the page-load measurement: their lines are as long as those programs write them. */
const GENERATED = new Set(['docs/benchmarks.md', 'docs/loading.md']);
const CODE_FILE = /\.(rs|tsx?|mjs|js|sh|py|sql|toml|json|md|conf|yml|css|html|service|txt|bin|jsonl)$/;
const PATH = /^[\w.*{}-]+(\/[\w.*{}-]+)*\/?$/;

/**
 * The faults of one document, one line each.
 * `repository.sources`: the text of each tracked file by its path ('' for files that are not text).
 * `repository.outside`: names of other projects that documents may mention.
 */
export function faults(path, document, repository) {
  const named = inlineCode(document).filter(({ text }) => !repository.outside.has(text));
  return [
    ...named.flatMap(({ number, text }) => nameFaults(text, repository).map((fault) => ({ number, fault }))),
    ...headingFaults(path, document, repository),
    ...lines(document).flatMap((line) => lineFaults(path, line, repository)),
  ].map(({ number, fault }) => `${path}:${number}: ${fault}`);
}

function nameFaults(text, repository) {
  const name = text.replace(/\(\)$/, '');
  const missing = (what) => [`${what} '${text}' does not exist`];
  const [setting] = text.match(/^[a-z]+(\.\w+)+(?= = |$)/) ?? [];
  if (isPath(text)) return hasFile(text, repository) ? [] : missing('file');
  if (setting && isSettingName(setting, repository)) {
    return settings(repository).has(setting) ? [] : missing('setting');
  }
  if (/^\w+(::\w+)+$/.test(name)) return hasPathName(name, repository) ? [] : missing('name');
  const [, called] = text.match(/^(?:\w+\.)*(\w+)\(\)$/) ?? [];
  if (called) return hasFunction(called, repository) ? [] : missing('function');
  if (/^[A-Z]\w*[a-z]\w*$/.test(name)) return hasWord(name, repository) ? [] : missing('type');
  if (/^[a-z]\w*_\w+$/.test(name)) return hasWord(name, repository) ? [] : missing('name');
  return [];
}

function lineFaults(path, { number, text, kind }, repository) {
  const found = kind === 'code' ? codeFaults(text, repository) : linkFaults(path, text, repository);
  const length = [...text].length;
  if (kind === 'prose' && length > LONGEST_LINE && !isOnlyLink(text) && !GENERATED.has(path)) {
    found.push(`${length} characters, more than ${LONGEST_LINE}`);
  }
  for (const [variable, section, key] of text.matchAll(/\bACCOUNT_([A-Z]+)__([A-Z_]+[A-Z])\b/g)) {
    const isKnown = settings(repository).has(`${section}.${key}`.toLowerCase());
    if (!isKnown) found.push(`setting '${variable}' does not exist`);
  }
  return found.map((fault) => ({ number, fault }));
}

/** Code blocks also name files of operators: only Rust files and paths from a top folder are taken for ours. */
function codeFaults(text, repository) {
  const isOurs = (word) => isPath(word) && (word.endsWith('.rs') || isFromTopFolder(word, repository));
  const missing = text.split(/[\s"'`]+/).filter((word) => isOurs(word) && !hasFile(word, repository));
  return missing.map((word) => `file '${word}' does not exist`);
}

function linkFaults(path, text, { sources }) {
  const targets = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target]) => target);
  const paths = targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => normalize(join(dirname(path), target)).replace(/\/$/, ''));
  const exists = (target) => [...sources.keys()].some((file) => `${file}/`.startsWith(`${target}/`));
  return paths.filter((target) => !exists(target)).map((target) => `link to '${target}' leads nowhere`);
}

/** `[operating.md](operating.md), "Mail"` cites a heading of the linked document. */
function headingFaults(path, document, { sources }) {
  const cited = [...document.matchAll(/\]\(([\w./-]+\.md)\),?\s+"([^"]+)"/g)];
  return cited.flatMap(({ 1: target, 2: words, index }) => {
    const heading = words.replace(/\s+/g, ' ');
    const number = document.slice(0, index).split('\n').length;
    const exists = hasHeading(sources.get(normalize(join(dirname(path), target))), heading);
    return exists ? [] : [{ number, fault: `'${target}' has no heading '${heading}'` }];
  });
}

function hasHeading(document = '', heading) {
  return document.split('\n').some((line) => line.startsWith('#') && line.replace(/^#+ /, '') === heading);
}

/** A comment such as `docs/operating.md, "Mail"` cites an existing document and heading. */
export function commentFaults(path, code, { sources }) {
  return code.split('\n').flatMap((line, index) =>
    [...line.matchAll(/\b(docs\/[\w/-]+\.md)(?:, \\?"([^"\\]+))?/g)].flatMap(([, target, heading]) => {
      const at = `${path}:${index + 1}`;
      if (!sources.has(target)) return [`${at}: '${target}' does not exist`];
      const exists = !heading || hasHeading(sources.get(target), heading);
      return exists ? [] : [`${at}: '${target}' has no heading '${heading}'`];
    }),
  );
}

function isOnlyLink(text) {
  return /^\s*([-*] )?!?(\[[^\]]*\]\([^)]*\)|<?https?:\S+)[.,;:]?$/.test(text);
}

function isPath(text) {
  return PATH.test(text) && /[a-z]/.test(text) && !/^\d/.test(text) && (text.includes('/') || CODE_FILE.test(text));
}

/** Whether the path begins with a top folder of the repository. */
function isFromTopFolder(text, repository) {
  const folder = text.slice(0, text.indexOf('/') + 1);
  return folder !== '' && [...repository.sources.keys()].some((path) => path.startsWith(folder));
}

/** A path that begins with a top folder is whole; any other may be a short form, such as `api/body.rs`. */
function hasFile(text, repository) {
  const { sources } = repository;
  const anywhere = isFromTopFolder(text, repository) ? '' : '(.*/)?';
  const literal = text.replace(/\/$/, '').replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  const glob = literal.replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(.*/)?'));
  const wanted = new RegExp(`^${anywhere}${glob}(\\.rs)?(/.*)?$`);
  return [...sources.keys()].some((path) => wanted.test(path));
}

function isSettingName(text, repository) {
  const section = text.split('.')[0];
  return [...settings(repository)].some((key) => key.startsWith(`${section}.`));
}

/** `section.key` of each setting of config.example.toml, those that are commented out included. */
export function settings({ sources }) {
  const found = new Set();
  let section = '';
  for (const line of (sources.get('config.example.toml') ?? '').split('\n')) {
    const [, header] = line.match(/^#?\[{1,2}([\w.]+)\]{1,2}/) ?? [];
    const [, key] = line.match(/^#?([a-z_]+) = /) ?? [];
    if (header) section = header;
    if (header) found.add(header);
    if (key) found.add(`${section}.${key}`);
  }
  return found;
}

/** `module::name` or `Type::name`: a function or module in the named place, or a type or variant somewhere. */
function hasPathName(text, repository) {
  const parts = text.split('::');
  const [owner, name] = parts.slice(-2);
  const rust = rustFiles(repository);
  if (/^[A-Z]/.test(owner)) return hasWord(owner, repository) && hasWord(name, repository);
  const inModule = rust.filter(([path]) => `/${path.replace(/\.rs$/, '')}/`.includes(`/${owner}/`));
  const definition = new RegExp(`\\b(fn|struct|enum|trait|const|static|mod|type|use|macro_rules!) (.*\\b)?${name}\\b`);
  return inModule.some(([path, code]) => definition.test(code) || path.endsWith(`/${name}.rs`));
}

function hasFunction(name, repository) {
  const definition = new RegExp(`\\b(fn|function|const|let) ${name}\\b|\\b${name}\\(`);
  return codeFiles(repository).some(([, code]) => definition.test(code));
}

function hasWord(name, repository) {
  const word = new RegExp(`\\b${name}\\b`);
  return codeFiles(repository).some(([, code]) => word.test(code));
}

function rustFiles(repository) {
  return codeFiles(repository).filter(([path]) => path.endsWith('.rs'));
}

const stripped = new WeakMap();

/** Everything but documents, without whole-line comments: a name in a comment alone may be out of date. */
function codeFiles(repository) {
  if (!stripped.has(repository)) {
    const isCode = ([path]) => !path.endsWith('.md') && !path.startsWith('scripts/documents/');
    const withoutComments = ([path, text]) => [path, isSource(path) ? text.replace(/^\s*\/\/.*$/gm, '') : text];
    stripped.set(repository, [...repository.sources].filter(isCode).map(withoutComments));
  }
  return stripped.get(repository);
}

function isSource(path) {
  return /\.(rs|tsx?|mjs|js)$/.test(path);
}

/** Entries of the list of outside names that no document mentions. */
export function unused(outside, documents) {
  const mentioned = new Set(documents.flatMap((document) => inlineCode(document).map(({ text }) => text)));
  return [...outside].filter((name) => !mentioned.has(name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const isText = (path) => !/\.(png|webp|bin|gz|svg|woff2)$|package-lock\.json$/.test(path);
  const read = (path) => readFileSync(new URL(path, ROOT), 'utf8');
  const sources = new Map(listed.split('\n').filter(Boolean).map((path) => [path, isText(path) ? read(path) : '']));
  const outside = new Set(Object.values(JSON.parse(read('scripts/documents/outside-names.json'))).flat());
  const repository = { sources, outside };
  const documents = [...sources.keys()].filter((path) => /^(README\.md|(docs|deploy)\/.*\.md)$/.test(path));
  const found = documents.flatMap((path) => faults(path, sources.get(path), repository));
  const stale = unused(outside, documents.map((path) => sources.get(path)));
  found.push(...stale.map((name) => `scripts/documents/outside-names.json: no document mentions '${name}'`));
  const code = [...sources].filter(([path]) => !documents.includes(path) && !path.startsWith('scripts/documents/'));
  found.push(...code.flatMap(([path, text]) => commentFaults(path, text, repository)));
  for (const fault of found) console.error(fault);
  process.exitCode = found.length ? 1 : 0;
}
