import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crateFaults, licenceFault, packageFaults, unexplained } from './check.mjs';
import { read } from './inventory.mjs';
import { isAllowed } from './licences.mjs';
import { bom } from './sbom.mjs';

const policy = JSON.parse(read('scripts/supply-chain/policy.json'));
const REGISTRY = 'registry+https://github.com/rust-lang/crates.io-index';

test('an expression is allowed by one side of an OR and by both sides of an AND', () => {
  const allowed = new Set(['MIT', 'Apache-2.0']);
  for (const [expression, fine] of [
    ['MIT', true],
    ['GPL-3.0-only', false],
    ['GPL-3.0-only OR MIT', true],
    ['MIT/GPL-2.0', true],
    ['MIT AND GPL-3.0-only', false],
    ['MIT AND (GPL-3.0-only OR Apache-2.0)', true],
    ['(MIT AND GPL-3.0-only) OR Apache-2.0', true],
    ['GPL-3.0-only OR MIT AND GPL-2.0-only', false],
    ['Apache-2.0 WITH LLVM-exception', false],
    ['Apache-2.0 WITH LLVM-exception OR MIT', true],
  ]) {
    assert.equal(isAllowed(expression, allowed), fine, expression);
  }
  for (const broken of ['', '(MIT', 'MIT OR', 'MIT GPL-3.0-only', 'SEE LICENSE IN x', ')']) {
    assert.throws(() => isAllowed(broken, allowed), broken);
  }
});

test('a copyleft or missing licence is reported; build tools have a wider list', () => {
  const fault = (name, licence, isTool = false) => licenceFault({ name, licence, isTool }, policy);
  assert.equal(fault('a', 'MIT OR Apache-2.0'), null);
  assert.equal(fault('a', 'AGPL-3.0-only'), 'a is under AGPL-3.0-only');
  assert.equal(fault('a', undefined), 'a states no licence');
  assert.equal(fault('a', 'MIT-0'), 'a is under MIT-0');
  assert.equal(fault('a', 'MIT-0', true), null);
  assert.equal(fault('a', 'MPL-2.0', true), 'a is under MPL-2.0');
  assert.equal(fault('cssparser', 'MPL-2.0'), null);
});

test('a banned crate, another source and a package without a hash are reported', () => {
  const crate = (name, source = REGISTRY) => ({ name, source, checksum: '0' });
  assert.deepEqual(crateFaults([crate('tokio')], policy), []);
  assert.match(crateFaults([crate('openssl-sys')], policy)[0], /^openssl-sys is banned/);
  const git = 'git+https://example.org/tokio';
  assert.deepEqual(crateFaults([crate('tokio', git)], policy), [`tokio comes from ${git}`]);
  assert.deepEqual(packageFaults([{ name: 'a', integrity: 'sha512-x' }]), []);
  assert.equal(packageFaults([{ name: 'a', integrity: 'sha1-x' }]).length, 1);
  const elsewhere = { name: 'a', integrity: 'sha512-x', resolved: 'https://example.org/a.tgz' };
  assert.equal(packageFaults([elsewhere]).length, 1);
});

test('a reason must name the dependency itself, not a similar name', () => {
  const text = '| tokio-postgres, @types/node | … |';
  assert.deepEqual(unexplained(['tokio-postgres', '@types/node'], text), []);
  assert.deepEqual(unexplained(['tokio', 'node', 'postgres'], text), ['tokio', 'node', 'postgres']);
});

test('the bill of materials follows its schema and is reproducible', () => {
  const made = bom();
  assert.deepEqual(bom(), made);
  assert.deepEqual([made.bomFormat, made.specVersion, made.version], ['CycloneDX', '1.6', 1]);
  assert.match(made.serialNumber, /^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const program = made.metadata.component;
  const refs = [program, ...made.components].map((one) => one['bom-ref']);
  assert.equal(new Set(refs).size, refs.length);
  for (const one of made.components) {
    assert.ok(one.name && one.version && /^(library|application)$/.test(one.type), one.name);
    for (const { alg, content } of one.hashes ?? []) {
      assert.match(content, alg === 'SHA-256' ? /^[0-9a-f]{64}$/ : /^[0-9a-f]{128}$/, one.name);
    }
    for (const { expression } of one.licenses ?? []) assert.doesNotMatch(expression, /\//);
    if (one.purl) assert.match(one.purl, /^pkg:(cargo|npm|generic)\/[^@]+@\d/);
  }
  assert.deepEqual(made.dependencies.map(({ ref }) => ref).sort(), [...new Set(refs)].sort());
});

test('every component is reachable from the program, and build and test tools are excluded', () => {
  const { metadata, components, dependencies } = bom();
  const edges = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const reached = new Set([metadata.component['bom-ref']]);
  for (const ref of reached) for (const next of edges.get(ref)) reached.add(next);
  assert.equal(reached.size, components.length + 1);
  const names = new Set(components.map(({ name }) => name));
  for (const name of ['axum', 'rusqlite', 'ring', 'sqlite', 'react', 'downshift', 'scheduler']) {
    assert.ok(names.has(name), name);
  }
  for (const name of ['proptest', 'insta', 'serde_derive', 'cc', 'vite', 'typescript', 'msw']) {
    assert.ok(!names.has(name), name);
  }
});
