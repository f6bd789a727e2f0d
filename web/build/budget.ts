import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** What scripts and styles may weigh on the wire, in bytes of brotli. */
const LIMITS = {
  'sign-in': 90_500,
  /** Any other screen that is opened directly. */
  other: 116_000,
};

/** Prints what each screen loads when it is opened, and fails the build where that is too heavy. */
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
      // After `prerender` and `precompress`.
      order: 'post',
      sequential: true,
      async handler() {
        const screens = join(folder, 'screens');
        const page = await readFile(join(folder, 'index.html'), 'utf8');
        // One of each screen: all its states and languages load the same.
        const drawn = (await readdir(screens)).filter((file) => /^[\w-]+\.en\.html$/.test(file));
        const rows = drawn.sort().map(async (file) => {
          const drawing = await readFile(join(screens, file), 'utf8');
          const files = [...filesOf(page), ...filesOf(drawing)];
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
          const limit = screen === 'sign-in' ? LIMITS['sign-in'] : LIMITS.other;
          if (bytes > limit) this.error(`${screen} loads ${bytes} bytes; it may weigh ${limit}`);
        }
      },
    },
  };

  /** The scripts and styles that a piece of HTML asks for, by their names in the build. */
  function filesOf(html: string): string[] {
    const found = html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g);
    return [...found].map(([, file]) => file?.slice(base.length) ?? '');
  }
}
