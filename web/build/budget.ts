import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** The scripts and styles of the sign-in page may weigh this much on the wire: bytes of brotli. */
const LIMIT = 90_000;

/** Fails the build when the first screen has grown too heavy. Runs after `precompress`. */
export function budget(): Plugin {
  let folder = '';
  let base = '';
  return {
    name: 'account:budget',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
      base = config.base;
    },
    closeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        const page = await readFile(join(folder, 'index.html'), 'utf8');
        const files = [...page.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, file]) =>
          join(folder, `${file?.slice(base.length)}.br`),
        );
        const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
        const total = sizes.reduce((sum, size) => sum + size, 0);
        this.info(`the sign-in page loads ${files.length} files, ${total} bytes of brotli`);
        if (total > LIMIT) this.error(`that is more than the ${LIMIT} that it may weigh`);
      },
    },
  };
}
