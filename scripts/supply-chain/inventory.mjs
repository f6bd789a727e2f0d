import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
export const read = (path) => readFileSync(join(ROOT, path), 'utf8');

/**
 * The crates of this machine's platform as resolved by cargo, without a network. Cargo does not cache
 * the crates of other platforms; `locked` lists at least their names.
 */
export function crates() {
  const host = execFileSync('rustc', ['-vV'], { encoding: 'utf8' }).match(/^host: (.+)$/m)[1];
  const output = execFileSync(
    'cargo',
    ['metadata', '--format-version=1', '--locked', '--offline', `--filter-platform=${host}`],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  const { packages, resolve } = JSON.parse(output);
  const byId = new Map(packages.map((found) => [found.id, found]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const root = byId.get(resolve.root);
  return { root, byId, nodes, shipped: shipped(root, byId, nodes) };
}

/** The crates linked into the program: no build or test dependencies and no procedural macros. */
function shipped(root, byId, nodes) {
  const found = new Set([root.id]);
  const isMacro = (id) => byId.get(id).targets.some(({ kind }) => kind.includes('proc-macro'));
  for (const id of found) {
    for (const dependency of nodes.get(id).deps) {
      const isLinked = dependency.dep_kinds.some(({ kind }) => kind === null);
      if (isLinked && !isMacro(dependency.pkg)) found.add(dependency.pkg);
    }
  }
  found.delete(root.id);
  return found;
}

/** Every crate of the lock file, for all platforms: name, version, source, checksum. */
export function locked() {
  const blocks = read('Cargo.lock').split('[[package]]').slice(1);
  const field = (block, name) => block.match(new RegExp(`^${name} = "(.+)"$`, 'm'))?.[1];
  return blocks.map((block) => ({
    name: field(block, 'name'),
    version: field(block, 'version'),
    source: field(block, 'source'),
    checksum: field(block, 'checksum'),
  }));
}

/** The packages of one npm lock file: the path of each, and its entry in the file. */
export function packages(folder) {
  const lock = JSON.parse(read(join(folder, 'package-lock.json'))).packages;
  return Object.entries(lock)
    .filter(([path]) => path !== '')
    .map(([path, about]) => ({
      ...about,
      path,
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      isShipped: !(about.dev || about.devOptional || about.optional),
    }));
}

export const manifest = (folder) => JSON.parse(read(join(folder, 'package.json')));
