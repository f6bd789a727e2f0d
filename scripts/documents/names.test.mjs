import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commentFaults, faults, releaseFaults, unused } from './names.mjs';

const repository = {
  sources: new Map([
    ['config.example.toml', '[server]\n# Address.\nlisten = "x"\n#ops_listen = "y"\n#[regions.links]\nterms = "/"'],
    ['docs/operating.md', '# Operating\n\n## Mail\n'],
    ['deploy/nginx.conf', 'proxy_read_timeout 15s;'],
    ['src/api.rs', ''],
    ['src/api/caller.rs', '// A CommentOnly word.\npub struct Caller;\nimpl Caller {\n    fn language() {}\n}'],
    ['src/mail.rs', 'pub async fn queue() {}\npub fn wake_worker() {}'],
    ['web/src/boot.ts', 'export const readBoot = () => {};'],
  ]),
  outside: new Set(['TokioTimer', 'pg_dump']),
};

function check(document, path = 'docs/a.md') {
  return faults(path, document, repository);
}

const EXISTING = {
  file: ['src/api/caller.rs', 'api/caller.rs', 'caller.rs', 'src/api/', 'src/*.rs', 'web/**/*.ts', 'deploy/nginx.conf'],
  name: ['queue()', 'mail.wake_worker()', 'mail::queue', 'Caller::language', 'Caller', 'wake_worker', 'readBoot()'],
  setting: ['server.listen', 'server.ops_listen = "127.0.0.1:9090"', 'regions.links.terms'],
  'something else': ['TokioTimer', 'pg_dump', '/account/login', 'GET', '5/5m', 'make check', 'proxy_read_timeout'],
};

for (const [what, names] of Object.entries(EXISTING)) {
  test(`a ${what} that exists causes no fault`, () => {
    for (const name of names) assert.deepEqual(check(`See \`${name}\`.`), [], name);
  });
}

const MISSING = {
  file: ['src/api/client.rs', 'api/client.rs', 'client.rs', 'src/pages/', 'src/*.ts', 'scripts/none.sh'],
  function: ['ring()', 'mail.ring()'],
  name: ['mail::ring', 'api::queue', 'Caller::ring', 'ring_bell'],
  type: ['Failure', 'AccessLogEntry', 'CommentOnly'],
  setting: ['server.liste', 'server.port = 1', 'regions.links.term'],
};

for (const [what, names] of Object.entries(MISSING)) {
  test(`a ${what} that does not exist is reported`, () => {
    for (const name of names) {
      assert.deepEqual(check(`# Title\n\nSee \`${name}\`.`), [`docs/a.md:3: ${what} '${name}' does not exist`]);
    }
  });
}

test('inline code may wrap, and table rows are checked too', () => {
  assert.deepEqual(check('See `server.port =\n1`.'), ["docs/a.md:1: setting 'server.port = 1' does not exist"]);
  assert.deepEqual(check('| a | b |\n|---|---|\n| `none.rs` | |'), ["docs/a.md:3: file 'none.rs' does not exist"]);
});

test('code blocks are checked only for files of the repository', () => {
  for (const block of ['```\nX\n```', 'Text:\n\n    X\n']) {
    assert.deepEqual(check(block.replace('X', 'psql --file deploy/nginx.conf /etc/account.toml Failure')), []);
    const [fault] = check(block.replace('X', 'psql --file deploy/citus.sql'));
    assert.match(fault, /file 'deploy\/citus\.sql' does not exist/);
  }
});

test('an environment variable must name a setting', () => {
  assert.deepEqual(check('    ACCOUNT_SERVER__OPS_LISTEN=1\n\nand `ACCOUNT_SERVER__LISTEN`'), []);
  assert.deepEqual(check('`ACCOUNT_SERVER__PORT`'), ["docs/a.md:1: setting 'ACCOUNT_SERVER__PORT' does not exist"]);
});

test('a relative link must point to a file', () => {
  assert.deepEqual(check('[a](operating.md#logs) [b](../src/mail.rs) [c](https://example.org/x)'), []);
  assert.deepEqual(check('[a](none.md)'), ["docs/a.md:1: link to 'docs/none.md' leads nowhere"]);
});

test('a cited heading must exist in the linked document', () => {
  assert.deepEqual(check('[operating.md](operating.md), "Mail"; [a](operating.md) "Operating"'), []);
  assert.deepEqual(check('\n[operating.md](operating.md),\n"Mails"'), [
    "docs/a.md:2: 'operating.md' has no heading 'Mails'",
  ]);
});

test('a comment must cite an existing document and heading', () => {
  const cite = (text) => commentFaults('src/a.rs', `fn a() {}\n// See ${text}.`, repository);
  assert.deepEqual([...cite('docs/operating.md, "Mail"'), ...cite('(docs/operating.md)')], []);
  assert.deepEqual(cite('docs/operating.md, "Mails"'), ["src/a.rs:2: 'docs/operating.md' has no heading 'Mails'"]);
  assert.deepEqual(cite('docs/none.md'), ["src/a.rs:2: 'docs/none.md' does not exist"]);
});

test('a line of prose has at most 120 characters', () => {
  const words = 'word '.repeat(30).trim();
  assert.deepEqual(check(words), ['docs/a.md:1: 149 characters, more than 120']);
  assert.deepEqual(check(`- a list:\n    ${words}`), ['docs/a.md:2: 153 characters, more than 120']);
  const fenced = `\`\`\`\n${words}\n\`\`\``;
  for (const longer of [`| ${words} |`, fenced, `Text:\n\n    ${words}`, `- [${words}](operating.md)`]) {
    assert.deepEqual(check(longer), [], longer);
  }
  assert.deepEqual(check(words, 'docs/benchmarks.md'), []);
});

test('an outside name that no document mentions is reported', () => {
  assert.deepEqual(unused(repository.outside, ['`TokioTimer`']), ['pg_dump']);
});

test('a migration without release notes is reported', () => {
  const files = ['V0001__init', 'V0009__events', 'V0010__keys'].map((name) => [`migrations/postgres/${name}.sql`, '']);
  const notes = ['docs/releases.md', '# Release notes\n\n### V0009 events\n'];
  const found = releaseFaults({ sources: new Map([...files, notes]) });
  assert.deepEqual(found, ['docs/releases.md: V0010 is missing']);
});
