import { basename } from 'node:path';

const owners = new Map<string, string>();

/**
 * Names a class of a CSS module by file and class, `_card-title`: it can be read in the browser and compresses
 * better than a digest. The first character keeps it apart from what others, filters of adverts among them,
 * call theirs. Fails where two files have the same name.
 */
export function className(name: string, file: string): string {
  const owner = basename(file, '.module.css');
  const first = owners.get(owner) ?? file;
  if (first !== file) throw new Error(`${first} and ${file} have the same name`);
  owners.set(owner, file);
  return `_${owner}-${name}`;
}
