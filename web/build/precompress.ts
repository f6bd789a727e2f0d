import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';
import { SCREENS_FOLDER } from './prerender.ts';

const brotli = promisify(brotliCompress);
const gzipAsync = promisify(gzip);
const COMPRESSIBLE = /\.(?:js|css|svg)$/;

/** The file with the HTML of all prerendered screens, as one JSON object with the screen names as keys. */
const SCREENS = 'screens.json.gz';

/**
 * Replaces each script, style sheet and image by a `.br` and a `.gz` file, so that the server never compresses during
 * an HTTP request. If a client accepts neither encoding, the server inflates the `.gz` file.
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
        files
          .filter((file) => COMPRESSIBLE.test(file))
          .map((file) => compressFile(join(folder, file))),
      );
    },
  };
}

async function compressFile(file: string): Promise<void> {
  const content = await readFile(file);
  const [small, gzipped] = await Promise.all([
    brotli(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        // The distance codes of this mode make the scripts of the entry 0.2 % smaller than those of other modes.
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_FONT,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
    gzipAsync(content, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, small), writeFile(`${file}.gz`, gzipped), rm(file)]);
}

/**
 * Replaces the files of the prerendered screens by one compressed file. Variants and languages differ little, so the
 * compressed file is much smaller than the sum of the separate files.
 */
export function packScreens(): Plugin {
  let dist = '';
  return {
    name: 'account:pack-screens',
    apply: 'build',
    configResolved(config) {
      dist = join(config.root, config.build.outDir);
    },
    closeBundle: {
      // This plugin runs after `budget`, because `budget` reads the HTML files that this plugin removes.
      order: 'post',
      sequential: true,
      async handler() {
        const folder = join(dist, SCREENS_FOLDER);
        const files = (await readdir(folder)).filter((file) => file.endsWith('.html')).sort();
        const screens = files.map(async (file) => [
          file.replace('.html', ''),
          await readFile(join(folder, file), 'utf8'),
        ]);
        const all = JSON.stringify(Object.fromEntries(await Promise.all(screens)));
        await writeFile(join(dist, SCREENS), await gzipAsync(all, { level: 9 }));
        await Promise.all(files.map((file) => rm(join(folder, file))));
      },
    },
  };
}
