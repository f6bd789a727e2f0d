import { basename } from 'node:path';

const owners = new Map<string, string>();

/**
 * Names a class of a CSS module after its file and class, for example `_card-title`. Such a name is readable in the
 * browser and compresses better than a hash. The underscore avoids collisions, for example with class names that ad
 * blockers hide. Throws if two files have the same name.
 */
export function className(name: string, file: string): string {
  const owner = basename(file, '.module.css');
  const first = owners.get(owner) ?? file;
  if (first !== file) throw new Error(`${first} and ${file} have the same name`);
  owners.set(owner, file);
  return `_${owner}-${name}`;
}
