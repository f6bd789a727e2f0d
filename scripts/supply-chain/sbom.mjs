// The software bill of materials: CycloneDX 1.6 (ECMA-424), everything that is linked or embedded into the program.
// The same sources give the same bytes: the file has no time, and its serial number is a hash of its content.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crates, locked, manifest, packages } from './inventory.mjs';
import { normalise } from './licences.mjs';

const WEB = 'account-web';

export function bom() {
  const cargo = crates();
  const lock = locked();
  const npm = packages('web').filter(({ isShipped }) => isShipped);
  const { name, version, license } = cargo.root;
  const program = {
    type: 'application',
    'bom-ref': `pkg:cargo/${name}@${version}`,
    name,
    version,
    licenses: [{ expression: normalise(license) }],
  };
  const screens = { type: 'application', 'bom-ref': WEB, name: WEB, version };
  const sqlite = bundledSqlite(cargo);
  const components = [
    ...[...cargo.shipped].map((id) => crateComponent(cargo.byId.get(id), lock)),
    sqlite.component,
    screens,
    ...npm.map(packageComponent),
  ];
  const dependencies = [
    { ref: program['bom-ref'], dependsOn: [...linkedDependencies(cargo, cargo.root.id), WEB] },
    ...[...cargo.shipped].map((id) => ({
      ref: crateRef(cargo.byId.get(id)),
      dependsOn: [...linkedDependencies(cargo, id), ...(id === sqlite.inside ? [sqlite.component['bom-ref']] : [])],
    })),
    { ref: sqlite.component['bom-ref'], dependsOn: [] },
    { ref: WEB, dependsOn: dependenciesOf(npm, '') },
    ...npm.map((found) => ({ ref: packageRef(found), dependsOn: dependenciesOf(npm, found.path) })),
  ];
  const content = {
    metadata: { component: program },
    components: components.sort(compareBy((one) => one['bom-ref'])),
    dependencies: dependencies
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: [...new Set(dependsOn)].sort() }))
      .sort(compareBy(({ ref }) => ref)),
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid(JSON.stringify(content))}`,
    version: 1,
    ...content,
  };
}

const compareBy = (key) => (one, other) => (key(one) < key(other) ? -1 : 1);

const crateRef = ({ name, version }) => `pkg:cargo/${name}@${version}`;
const packageRef = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

function crateComponent(found, lock) {
  const { checksum } = lock.find(
    (one) => one.name === found.name && one.version === found.version,
  );
  return {
    type: 'library',
    'bom-ref': crateRef(found),
    name: found.name,
    version: found.version,
    hashes: [{ alg: 'SHA-256', content: checksum }],
    licenses: [{ expression: normalise(found.license) }],
    purl: crateRef(found),
  };
}

function packageComponent(found) {
  const sha512 = Buffer.from(found.integrity.replace('sha512-', ''), 'base64').toString('hex');
  return {
    type: 'library',
    'bom-ref': packageRef(found),
    name: found.name,
    version: found.version,
    hashes: [{ alg: 'SHA-512', content: sha512 }],
    licenses: [{ expression: normalise(found.license) }],
    purl: packageRef(found),
  };
}

/** SQLite is C code inside a crate; vulnerability scanners search for it by its own name. */
function bundledSqlite(cargo) {
  const inside = [...cargo.shipped].find((id) => cargo.byId.get(id).name === 'libsqlite3-sys');
  const folder = dirname(cargo.byId.get(inside).manifest_path);
  const header = readFileSync(join(folder, 'sqlite3/sqlite3.h'), 'utf8');
  const version = header.match(/^#define SQLITE_VERSION\s+"([\d.]+)"/m)[1];
  const purl = `pkg:generic/sqlite@${version}`;
  const cpe = `cpe:2.3:a:sqlite:sqlite:${version}:*:*:*:*:*:*:*`;
  const licenses = [{ expression: 'blessing' }];
  const component = { type: 'library', 'bom-ref': purl, name: 'sqlite', version, licenses, cpe, purl };
  return { inside, component };
}

function linkedDependencies({ byId, nodes, shipped }, id) {
  const found = nodes.get(id).deps.filter(
    ({ pkg, dep_kinds }) => shipped.has(pkg) && dep_kinds.some(({ kind }) => kind === null),
  );
  return found.map(({ pkg }) => crateRef(byId.get(pkg)));
}

/** The dependencies of a package, resolved as in Node: in the nearest `node_modules` above. */
function dependenciesOf(npm, path) {
  const own = path === '' ? null : npm.find((found) => found.path === path);
  const names = own
    ? Object.keys({ ...own.dependencies, ...own.peerDependencies })
    : Object.keys(manifest('web').dependencies);
  return names.flatMap((name) => {
    for (let folder = path; ; folder = parentFolder(folder)) {
      const at = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      const found = npm.find((one) => one.path === at);
      if (found) return [packageRef(found)];
      if (folder === '') return [];
    }
  });
}

const parentFolder = (folder) => folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules') - 1));

/** The first 128 bits of a SHA-256, as a custom UUID (RFC 9562, version 8). */
function uuid(text) {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x80;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [8, 12, 16, 20, 32]
    .map((end, n, ends) => hex.slice(n === 0 ? 0 : ends[n - 1], end))
    .join('-');
}

if (import.meta.filename === process.argv[1]) {
  process.stdout.write(`${JSON.stringify(bom(), null, 2)}\n`);
}
