import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Unpacks a ZIP into a folder, with Info-ZIP (Debian's package unzip). Returns the names of its files. */
export async function unpack(archive: string, folder: string): Promise<string[]> {
  const run = promisify(execFile);
  await run('unzip', ['-q', archive, '-d', folder]);
  const { stdout } = await run('unzip', ['-Z1', archive]);
  return stdout.trim().split('\n');
}
