import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { className } from './class-names.ts';
import { precompress } from './precompress.ts';

/** Maximum transfer size of the scripts and styles of the support view, in bytes after brotli. */
const LIMIT = 86_000;

/**
 * Builds the support view separately, so that the public pages contain no code of the support view.
 * `src/http/pages/support.rs` serves the support view only to agents.
 */
export default defineConfig({
  base: '/account/support/',
  publicDir: false,
  css: { modules: { generateScopedName: className } },
  plugins: [react(), precompress(), budget()],
  build: {
    target: 'es2022',
    outDir: 'dist/support',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: 'support.html' },
  },
});

/** Fails the build if the files of the support view exceed the limit. */
function budget(): Plugin {
  let folder = '';
  return {
    name: 'account:support-budget',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir, 'assets');
    },
    closeBundle: {
      // This plugin runs after `precompress`.
      order: 'post',
      sequential: true,
      async handler() {
        const files = (await readdir(folder)).filter((name) => name.endsWith('.br'));
        const sizes = files.map(async (name) => (await stat(join(folder, name))).size);
        const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
        this.info(`the support view: ${files.length} files, ${bytes} bytes of brotli`);
        if (bytes > LIMIT) this.error(`the support view has ${bytes} bytes; the limit is ${LIMIT}`);
      },
    },
  };
}
