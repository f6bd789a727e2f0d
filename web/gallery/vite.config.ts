import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The gallery is a separate build, so that the product's pages contain no code of the gallery. */
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
      // The file names contain no hash, because the server refers to these names.
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        assetFileNames: '[name][extname]',
      },
    },
  },
});
