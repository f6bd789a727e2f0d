import { basename } from 'node:path';

const owners = new Map<string, string>();

/**
 * Names a class of a CSS module by file and class, `_card-title`: readable in the browser, and it compresses better
 * than a hash. The underscore avoids collisions with other class names, for example those in the lists of ad
 * blockers. Throws if two files have the same name.
 */
export function className(name: string, file: string): string {
  const owner = basename(file, '.module.css');
  const first = owners.get(owner) ?? file;
  if (first !== file) throw new Error(`${first} and ${file} have the same name`);
  owners.set(owner, file);
  return `_${owner}-${name}`;
}
