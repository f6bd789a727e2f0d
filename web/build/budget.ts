import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { SCREENS_FOLDER } from './prerender.ts';

/** Maximum transfer size of a screen's scripts and styles, in bytes after brotli. */
const LIMITS: Readonly<Record<string, number>> = {
  'sign-in': 82_000,
  // The screens with a long form also load the list of countries.
  'sign-up': 104_000,
  completion: 104_000,
};
/** Limit of every other screen that a URL can open. */
const OTHER_LIMIT = 90_000;

/** Prints the transfer size of the files that each screen loads, and fails the build if a screen exceeds its limit. */
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
      // This plugin runs after `prerender` and `precompress`.
      order: 'post',
      sequential: true,
      async handler() {
        const screens = join(folder, SCREENS_FOLDER);
        const page = await readFile(join(folder, 'index.html'), 'utf8');
        // One HTML file per screen is enough, because all variants and languages of a screen load the same scripts.
        const names = (await readdir(screens)).filter((file) => /^[\w-]+\.en\.html$/.test(file));
        const rows = names.sort().map(async (file) => {
          const screen = await readFile(join(screens, file), 'utf8');
          const files = [...filesOf(page), ...filesOf(screen)];
          const sizes = files.map(async (name) => (await stat(join(folder, `${name}.br`))).size);
          const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
          return { screen: file.replace('.en.html', ''), files: files.length, bytes };
        });
        const table = await Promise.all(rows);
        const lines = table.map(
          ({ screen, files, bytes }) => `| ${screen} | ${files} | ${bytes} |`,
        );
        this.info(['scripts and styles by screen, bytes of brotli:', ...lines].join('\n'));
        for (const { screen, bytes } of table) {
          const limit = LIMITS[screen] ?? OTHER_LIMIT;
          if (bytes > limit) this.error(`${screen} loads ${bytes} bytes; the limit is ${limit}`);
        }
      },
    },
  };

  /** Returns the build names of the scripts and styles that the HTML refers to. */
  function filesOf(html: string): string[] {
    const matches = html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g);
    return [...matches].map(([, file]) => file?.slice(base.length) ?? '');
  }
}
