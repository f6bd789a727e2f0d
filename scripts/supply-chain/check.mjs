// Checks licences, sources, bans and reasons of all dependencies, without a network and without
// installing anything. policy.json has the rules.
import { crates, locked, manifest, packages, read } from './inventory.mjs';
import { isAllowed } from './licences.mjs';

const CRATES_IO = 'registry+https://github.com/rust-lang/crates.io-index';
const NPM = 'https://registry.npmjs.org/';

/** The reason why a dependency is not allowed, or null. `isTool`: it builds or tests, and is not shipped. */
export function licenceFault({ name, licence, isTool }, policy) {
  if (!licence) return `${name} states no licence`;
  const { everywhere, tools, exceptions } = policy.licences;
  const exception = exceptions.filter((one) => one.name === name).map((one) => one.licence);
  const allowed = new Set([...everywhere, ...(isTool ? tools : []), ...exception]);
  return isAllowed(licence, allowed) ? null : `${name} is under ${licence}`;
}

export function crateFaults(lock, policy) {
  return lock.flatMap(({ name, source, checksum }) => {
    const ban = policy.banned.find(({ crate }) => crate === name);
    return [
      ...(ban ? [`${name} is banned: ${ban.reason}`] : []),
      ...(source === CRATES_IO && checksum ? [] : [`${name} comes from ${source ?? 'nowhere'}`]),
    ];
  });
}

export function packageFaults(lock) {
  return lock.flatMap(({ name, resolved, integrity }) => [
    ...(integrity?.startsWith('sha512-') ? [] : [`${name} has no SHA-512 in the lock file`]),
    // Without an address npm uses its configured registry; any other address is reported.
    ...(resolved === undefined || resolved.startsWith(NPM) ? [] : [`${name} is from ${resolved}`]),
  ]);
}

/** Direct dependencies without a reason in docs/decisions. */
export function unexplained(names, text) {
  return names.filter((name) => {
    const word = name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    return !new RegExp(`(?<![\\w@/-])${word}(?![\\w/-])`).test(text);
  });
}

function faults() {
  const policy = JSON.parse(read('scripts/supply-chain/policy.json'));
  const { root, byId, shipped } = crates();
  const lock = locked().filter(({ name }) => name !== root.name);
  const others = [...byId.values()].filter((found) => found !== root);
  const npm = ['web', 'e2e', 'examples/sample-app'].map((folder) => ({
    found: packages(folder),
    own: manifest(folder),
  }));
  const parts = [
    ...others.map(({ name, license }) => ({ name, licence: license, isTool: false })),
    ...npm.flatMap(({ found }) =>
      found.map(({ name, license, isShipped }) => ({
        // The platform binaries of a package have its licence.
        name: name.replace(/^(lightningcss)-.+/, '$1'),
        licence: license,
        isTool: !isShipped,
      })),
    ),
  ];
  const direct = [
    ...root.dependencies.map(({ name }) => name),
    ...npm.flatMap(({ own }) => Object.keys({ ...own.dependencies, ...own.devDependencies })),
  ];
  const reasons = read('docs/decisions/dependencies.md') + read('docs/decisions/front-end.md');
  const loose = npm.flatMap(({ own }) =>
    Object.entries({ ...own.dependencies, ...own.devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    ),
  );
  const found = [
    ...parts.map((part) => licenceFault(part, policy)).filter((fault) => fault !== null),
    ...crateFaults(lock, policy),
    ...npm.flatMap(({ found }) => packageFaults(found)),
    ...root.dependencies.filter(({ req }) => req === '*').map(({ name }) => `${name} has no version`),
    ...loose.map(([name, version]) => `${name} ${version} is not one exact version`),
    ...unexplained(direct, reasons).map(
      (name) => `${name} has no line of reason in docs/decisions/dependencies.md`,
    ),
  ];
  const web = npm[0].found.filter(({ isShipped }) => isShipped).length;
  const counted =
    `${shipped.size} crates and ${web} packages in the program, ${lock.length} crates and ` +
    `${npm.reduce((sum, { found }) => sum + found.length, 0)} packages in the lock files`;
  return { found, counted };
}

if (import.meta.filename === process.argv[1]) {
  const { found, counted } = faults();
  for (const fault of found) console.error(`supply chain: ${fault}`);
  console.log(counted);
  process.exitCode = found.length > 0 ? 1 : 0;
}
