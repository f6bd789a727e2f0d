import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);
const TEXT = /\.(?:js|css|svg)$/;

/**
 * Writes a `.br` and a `.gz` file for each script, style sheet and image, so that the server never compresses during
 * a request.
 */
export function precompress(): Plugin {
  let folder = '';
  return {
    name: 'account:precompress',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      const files = await readdir(folder, { recursive: true });
      await Promise.all(
        files.filter((file) => TEXT.test(file)).map((file) => pack(join(folder, file))),
      );
    },
  };
}

async function pack(file: string): Promise<void> {
  const content = await readFile(file);
  const [small, wide] = await Promise.all([
    brotli(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
    deflate(content, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, small), writeFile(`${file}.gz`, wide)]);
}
