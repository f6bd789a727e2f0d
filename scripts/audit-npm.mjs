// Checks the npm lock files: one exact version of each direct dependency, one registry, a hash of each package,
// permissive licences of the packages that browsers get, and no known vulnerability, for which the registry is asked.
// Usage: node scripts/audit-npm.mjs
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense'];
const REGISTRY = 'https://registry.npmjs.org/';

const vulnerabilities = (folder) => {
  const cwd = new URL(`../${folder}/`, import.meta.url);
  const { stdout } = spawnSync('npm', ['audit', '--json', '--package-lock-only'], { cwd, encoding: 'utf8' });
  const { vulnerabilities, message } = JSON.parse(stdout);
  return vulnerabilities
    ? Object.values(vulnerabilities).map(({ name, range, severity }) => `${folder}: ${name} ${range} is vulnerable (${severity})`)
    : [`${folder}: the registry does not tell known vulnerabilities: ${message}`];
};

const faults = ['web', 'e2e', 'examples/sample-app'].flatMap((folder) => {
  const lock = new URL(`../${folder}/package-lock.json`, import.meta.url);
  const { '': own, ...packages } = JSON.parse(readFileSync(lock, 'utf8')).packages;
  const direct = Object.entries({ ...own.dependencies, ...own.devDependencies });
  const inexact = direct.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
  return [
    ...vulnerabilities(folder),
    ...inexact.map(([name, version]) => `${folder}: ${name} ${version} is not one exact version`),
    ...Object.entries(packages).flatMap(([path, { license, resolved, integrity, ...about }]) => {
      const isShipped = !(about.dev || about.devOptional || about.optional);
      return [
        // npm downloads a package without `resolved` from its configured registry.
        ...(resolved?.startsWith(REGISTRY) === false ? [`${folder}/${path} is from ${resolved}`] : []),
        ...(integrity?.startsWith('sha512-') ? [] : [`${folder}/${path} has no SHA-512`]),
        ...(!isShipped || LICENCES.includes(license) ? [] : [`${folder}/${path} is under ${license}`]),
      ];
    }),
  ];
});
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
