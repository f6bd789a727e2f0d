import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faults } from './asvs.mjs';

const sources = new Map([
  ['tests/session.rs', '// security: SE-6\nasync fn it_ends(db: Database) {}'],
  ['tests/overload/limiter.rs', 'fn it_refuses() {}'],
  ['e2e/tests/a.spec.ts', "test('nobody\\'s page is framed', async () => {});"],
]);

function document(status, tests, counts = '1 | 0 | 0 | 0 | 0') {
  const none = '0 | 0 | 0 | 0 | 0';
  return [
    '| level | met | part | not met | operator | n/a |',
    `| 1 | ${counts} |`,
    `| 2 | ${none} |`,
    `| 3 | ${none} |`,
    `| 7.3.1 | 1 | idle | ${status} | seven days | ${tests} |`,
  ].join('\n');
}

test('existing tests and promises cause no fault', () => {
  for (const tests of [
    '–',
    '`session::it_ends`; SE-6',
    '`overload/limiter::it_refuses`, `session::*`',
    'e2e `nobody’s page is framed`',
  ]) {
    assert.deepEqual(faults(document('met', tests), sources), [], tests);
  }
});

test('a missing test or promise is reported with its row', () => {
  for (const [tests, missing] of [
    ['`session::it_begins`', '`session::it_begins`'],
    ['`limits::it_ends`', '`limits::it_ends`'],
    ['SE-7', 'SE-7'],
    ['web `a page that is not tested`', 'web `a page that is not tested`'],
  ]) {
    assert.deepEqual(faults(document('met', tests), sources), [`7.3.1: ${missing} does not exist`]);
  }
});

test('an unknown status and wrong counts are reported', () => {
  assert.deepEqual(faults(document('done', '–', '0 | 0 | 0 | 0 | 0'), sources), [
    "7.3.1: 'done' is not a status",
  ]);
  assert.deepEqual(faults(document('part', '–'), sources), [
    'level 1: the counts are | 1 | 0 | 1 | 0 | 0 | 0 |',
  ]);
});
