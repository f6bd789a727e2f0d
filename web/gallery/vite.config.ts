import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A separate build: the product's pages contain no code of the gallery. */
export default defineConfig({
  root: here('.'),
  base: '/account/dev/gallery/',
  build: {
    target: 'es2022',
    outDir: here('../dist/dev/gallery'),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: here('index.html'), 'fake-server': here('fake-server.ts') },
      // The server refers to these names, so they contain no hash.
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        assetFileNames: '[name][extname]',
      },
    },
  },
});
